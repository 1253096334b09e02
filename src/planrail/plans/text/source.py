"""The text of a plan file, as it is on disk: decoded, never normalised, within limits that keep reading fast."""

import os
import stat

from planrail.base.errors import UnreadablePlan
from planrail.base.records import record

MAX_BYTES = 16 * 1024 * 1024
MAX_LINE = 256 * 1024  # characters; longer ones are data, not prose, and cost time in every rule
MAX_DEPTH = 100  # nested lists, quotes, brackets

_DESCRIPTORS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")  # what a shell's <(command) names
_OTHER_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


@record
class PlanSource:
    """A plan's text and where it came from. Offsets into `text` are exact: encoding it gives the file's bytes."""

    path: str
    text: str

    @property
    def name(self) -> str:
        return self.path.replace("\\", "/").rsplit("/", 1)[-1]

    def line_at(self, offset: int) -> int:
        """The line number, from 1, that an offset lies in."""
        return self.text.count("\n", 0, offset) + 1


def load(path: str) -> PlanSource:
    """Read a plan file, or raise `UnreadablePlan` saying why it cannot be one."""
    if os.path.isdir(path):
        from planrail.base.wording import quote

        named = next((name for name in sorted(os.listdir(path)) if name.lower().endswith(".md")), "PLAN.md")
        place = quote(os.path.join(path, named))
        raise UnreadablePlan(f"{path} is a folder, not a plan", remedy=f"name a file in it: planrail show {place}")
    try:
        status = os.stat(path)
        size = status.st_size
        if not stat.S_ISREG(status.st_mode) and not path.startswith(_DESCRIPTORS):
            raise UnreadablePlan(f"{path} is not a regular file", remedy="name a text file")
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise UnreadablePlan(f"there is no file {path}", remedy="check the name, or run: planrail next") from None
    except (OSError, ValueError) as error:
        raise UnreadablePlan(
            f"{path} cannot be read: {error}", remedy="check the file's name and permissions"
        ) from error
    if max(size, len(data)) > MAX_BYTES:
        read, most = max(size, len(data)) / 1_048_576, MAX_BYTES // 1_048_576
        problem = f"{path} has {read:.0f} MB; planrail reads plans of up to {most} MB"
        raise UnreadablePlan(problem, remedy="split the plan into several files")
    return PlanSource(path, decode(path, data))


def decode(path: str, data: bytes) -> str:
    """The text of `data`, byte for byte; a binary or another encoding is not a plan."""
    if data[:2] in _OTHER_ENCODINGS:
        import shlex

        encoding = _OTHER_ENCODINGS[data[:2]]
        remedy = f"iconv -f {encoding} -t UTF-8 {shlex.quote(path)} > plan-in-utf8.md"
        raise UnreadablePlan(f"{path} is {encoding}, not UTF-8", remedy=remedy)
    if b"\x00" in data:
        raise UnreadablePlan(f"{path} is a binary file", remedy="name a text file")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadablePlan(
            f"{path} is not valid UTF-8 (byte {error.start}, line {line})", remedy="save the file as UTF-8"
        ) from None
