"""Files as a whole: a reader sees the old one or the new one, also after a crash. `os` is too dear here."""

import posix


def write_whole(path: str, text: str | bytes, *, mode: int = 0o600, durable: bool = True) -> None:
    """Write to a hidden name beside it, never through a link, then rename. `mode` is that of a new file.

    What is not durable may be empty after a cut of the power. Where the disk refuses, nothing is left behind.
    """
    folder, slash, name = path.rpartition("/")
    temporary = f"{folder}{slash}.{name}.{posix.getpid()}"
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_NOFOLLOW | posix.O_CLOEXEC
    descriptor = posix.open(temporary, flags, mode)
    try:
        try:
            data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
            while data:
                data = data[posix.write(descriptor, data) :]
            if durable:
                posix.fsync(descriptor)
        finally:
            posix.close(descriptor)
        posix.rename(temporary, path)
    except BaseException:
        posix.unlink(temporary)
        raise


def read_whole(path: str, most: int = -1) -> bytes | None:
    """What a file holds, or its first bytes; None where there is none that can be read."""
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError:
        return None


def list_names(folder: str) -> list[str]:
    """The names in a folder, in their order; none where there is no folder that can be read."""
    try:
        return sorted(posix.listdir(folder))
    except OSError:
        return []
