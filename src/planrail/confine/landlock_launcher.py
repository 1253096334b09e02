"""A program of its own: takes rights away from itself with Landlock and seccomp, then becomes another program.

    python -I -S landlock_launcher.py [sealed] [offline] r:PATH… w:PATH… d:PATH… -- COMMAND…

It is started by its path and imports nothing of planrail. `sealed`: no file's mode, owner, time or attribute can be
changed anywhere, and no socket can be made; Landlock has no right for these. `offline`: no socket but between programs.
"""

import ctypes
import os
import sys

CREATE, ADD, RESTRICT = 444, 445, 446  # system calls, the same on every machine
OLDEST = 3  # the first version in which a file cannot be cut short
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_DROP = 24
_OF_ROOT = (0, 1, 3, 4, 5, 6, 7)  # as in `bubblewrap`: to be the owner of files and to become another user
_PATH_BENEATH = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE, _DEVICES = 1 << 14, 1 << 15
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_MAKE_DEVICES = 1 << 6 | 1 << 11
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _DEVICES
_SCOPED = 3  # no signal to a process outside, no abstract socket of one
NOT_STARTED, NOT_FOUND = 126, 127
# By machine: the kernel's number for it, the calls that change what is said of a file; socket, ioctl, io_uring_setup.
_NEW = (452, 463, 466, 469)  # fchmodat2, setxattrat, removexattrat, file_setattr
_MACHINES = {
    "x86_64": (
        0xC000003E,
        (*range(90, 95), 132, 188, 189, 190, 197, 198, 199, 235, 260, 261, 268, 280, *_NEW),
        (41, 16, 425),
    ),
    "aarch64": (0xC00000B7, (5, 6, 7, 14, 15, 16, 52, 53, 54, 55, 88, *_NEW), (198, 29, 425)),
}
_SET_FLAGS = (0x40086602, 0x401C5820, 0x40046602)  # ioctl: what chattr does
_FOREIGN = 0x40000000  # x32, on x86_64
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE, _UNKNOWN = 0x7FFF0000, 0x00050001, 0x00050026  # EPERM, ENOSYS
_LIBC = ctypes.CDLL(None, use_errno=True)


def main(words: list[str]) -> int:
    end = words.index("--")
    options, command = words[:end], words[end + 1 :]
    try:
        if _LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            _fail("no_new_privs")
        for power in range(64) if os.geteuid() == 0 else ():
            if power not in _OF_ROOT:
                _LIBC.prctl(_DROP, power, 0, 0, 0)  # one that this kernel does not know is none
        _restrict([word for word in options if ":" in word])
        _filter(is_sealed="sealed" in options, is_offline="offline" in options)
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_STARTED


def _fail(what: str) -> None:
    number = ctypes.get_errno()
    raise OSError(number, f"{what}: {os.strerror(number)}")


def _restrict(grants: list[str]) -> None:
    version = _LIBC.syscall(CREATE, None, 0, 1)
    if version < OLDEST:
        raise OSError(0, f"Landlock is not there, or too old ({version})")
    everything = (1 << (16 if version >= 5 else 15)) - 1
    attributes = (ctypes.c_uint64 * 3)(everything, 0, _SCOPED if version >= 6 else 0)
    rules = _LIBC.syscall(CREATE, attributes, 24 if version >= 6 else 8, 0)
    if rules < 0:
        _fail("Landlock")
    rights = {"r": _READ, "w": everything & ~_MAKE_DEVICES, "d": _OF_FILES | _READ_DIR}
    for grant in grants:
        kind, _, path = grant.partition(":")
        _grant(rules, path, rights[kind] & everything)
    if _LIBC.syscall(RESTRICT, rules, 0):
        _fail("Landlock")
    os.close(rules)


def _grant(rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # gone since: nothing is granted
    if not os.path.isdir(f"/proc/self/fd/{place}"):
        rights &= _OF_FILES
    said = rights.to_bytes(8, sys.byteorder) + place.to_bytes(4, sys.byteorder)
    if _LIBC.syscall(ADD, rules, _PATH_BENEATH, said, 0):
        _fail(f"Landlock: {path}")
    os.close(place)


def _filter(*, is_sealed: bool, is_offline: bool) -> None:
    if not is_sealed and not is_offline:
        return
    name = os.uname().machine
    if name not in _MACHINES:
        raise OSError(0, f"no filter of system calls is known for {name}")
    program = build_filter(name, is_sealed=is_sealed)
    code = b"".join(
        op.to_bytes(2, sys.byteorder) + bytes((yes, no)) + value.to_bytes(4, sys.byteorder)
        for op, yes, no, value in program
    )
    text = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    if _LIBC.prctl(_SECCOMP, _FILTER, ctypes.byref(Program(len(program), ctypes.addressof(text))), 0, 0):
        _fail("seccomp")


def build_filter(machine: str, *, is_sealed: bool) -> list[tuple[int, int, int, int]]:
    """The filter as steps: code, how many to leap over where it is so and where it is not, and a value."""
    known, changing, (socket, ioctl, uring) = _MACHINES[machine]
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, known), (_RETURN, 0, 0, _REFUSE), (_LOAD, 0, 0, 0)]
    steps += [(_AT_LEAST, 0, 1, _FOREIGN), (_RETURN, 0, 0, _REFUSE)]
    steps += [(_EQUAL, 0, 1, uring), (_RETURN, 0, 0, _UNKNOWN)]
    if is_sealed:
        for number in (*changing, socket):
            steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
        steps += [(_EQUAL, 0, 2 * len(_SET_FLAGS) + 2, ioctl), (_LOAD, 0, 0, 24)]
        for flag in _SET_FLAGS:
            steps += [(_EQUAL, 0, 1, flag), (_RETURN, 0, 0, _REFUSE)]
        steps += [(_RETURN, 0, 0, _ALLOW)]
    else:
        steps += [(_EQUAL, 0, 3, socket), (_LOAD, 0, 0, 16), (_EQUAL, 1, 0, 1), (_RETURN, 0, 0, _REFUSE)]
    return [*steps, (_RETURN, 0, 0, _ALLOW)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
