"""The command lines of the backends for a policy, as tables: no program is started here."""

import struct

import pytest

from planrail.confine import bubblewrap, landlock, landlock_launcher, seatbelt
from planrail.confine.policies import HIDDEN, LOOPBACK, OFF, ON, PRIVATE, READ, WRITE, AccessRule, Confinement


def _rule(path: str, access: str, source: str = "", *, is_folder: bool = True) -> AccessRule:
    return AccessRule(path, access, source or path, is_folder)


_POLICY = Confinement("/s", ("/w",), home="/home/me", network=OFF)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (_rule("/w", WRITE), ["--bind", "/w", "/w"]),
        (_rule("/c", READ, "/disk/c"), ["--ro-bind", "/disk/c", "/c"]),
        (_rule("/h", HIDDEN), ["--tmpfs", "/h", "--remount-ro", "/h"]),
        (_rule("/h/key", HIDDEN, is_folder=False), ["--ro-bind", "/dev/null", "/h/key"]),
        (_rule("/tmp", PRIVATE), ["--bind", "/s/tmp", "/tmp"]),
        (_rule("/var/tmp", PRIVATE), ["--perms", "1777", "--tmpfs", "/var/tmp"]),
        (_rule("/home/me/go/pkg", PRIVATE), ["--bind", "/s/home/go/pkg", "/home/me/go/pkg"]),
        (_rule("/home/me", PRIVATE), ["--bind", "/s/home", "/home/me"]),
    ],
)
def test_bubblewrap_mounts_each_rule(rule: AccessRule, words: list[str]) -> None:
    said = bubblewrap.wrap("bwrap", ["x"], _POLICY, [rule], is_root=False)
    assert said[said.index("/proc", said.index("--proc")) + 1 : said.index("--")] == ["--unshare-net", *words]


def test_what_is_hidden_is_made_read_only_after_all_that_lies_in_it() -> None:
    said = bubblewrap.wrap("bwrap", ["x"], _POLICY, [_rule("/h", HIDDEN), _rule("/h/w", WRITE)], is_root=False)
    assert said.index("--remount-ro") > said.index("/h/w")


@pytest.mark.parametrize(("network", "is_apart"), [(OFF, True), (LOOPBACK, True), (ON, False)])
def test_bubblewrap_leaves_the_network_to_those_who_may_have_it(network: str, is_apart: bool) -> None:
    said = bubblewrap.wrap("bwrap", ["x"], Confinement("/s", network=network), [], is_root=False)
    assert ("--unshare-net" in said) == is_apart


def test_root_keeps_nothing_that_leads_out() -> None:
    said = bubblewrap.wrap("bwrap", ["x", "--cap-add", "y"], _POLICY, [], is_root=True)
    assert said[said.index("--cap-drop") + 1] == "ALL"
    kept = {word for word in said if word.startswith("CAP_")}
    assert kept.isdisjoint({"CAP_SYS_ADMIN", "CAP_SYS_PTRACE", "CAP_MKNOD", "CAP_DAC_READ_SEARCH", "CAP_NET_ADMIN"})
    assert said[-4:] == ["--", "x", "--cap-add", "y"]


_FOLDERS = {
    "/": ["dev", "etc", "home", "w"],
    "/home": ["me", "you"],
    "/home/me": [".cargo", ".ssh"],
    "/home/me/.cargo": ["bin", "credentials"],
}


@pytest.mark.parametrize(
    ("accesses", "granted"),
    [
        ({}, ["r /"]),
        ({"/w": WRITE}, ["r /dev", "r /etc", "r /home", "w /w"]),
        ({"/home/me": HIDDEN}, ["r /dev", "r /etc", "r /home/you", "r /w"]),
        (
            {"/home/me": PRIVATE, "/home/me/.cargo": READ},
            ["r /dev", "r /etc", "r /home/me/.cargo", "r /home/you", "r /w"],
        ),
        (
            {"/home": HIDDEN, "/home/me/.cargo": READ, "/home/me/.cargo/credentials": HIDDEN},
            ["r /dev", "r /etc", "r /home/me/.cargo/bin", "r /w"],
        ),
    ],
)
def test_landlock_grants_by_entries_what_has_an_exception_in_it(accesses: dict[str, str], granted: list[str]) -> None:
    found = landlock.grant("/", READ, accesses, _FOLDERS.__getitem__)
    assert [f"{'w' if access == WRITE else 'r'} {path}" for path, access in found] == granted


@pytest.mark.parametrize(
    ("policy", "options"),
    [
        (Confinement("/s", (), network=OFF), ["sealed"]),
        (Confinement("/s", ("/w",), network=OFF), ["offline"]),
        (Confinement("/s", ("/w",), network=LOOPBACK), ["offline"]),
        (Confinement("/s", ("/w",), network=ON), []),
    ],
)
def test_the_launcher_of_landlock_is_told_what_no_right_covers(policy: Confinement, options: list[str]) -> None:
    said = landlock.wrap(["x"], policy, [], lambda folder: ["etc"])
    assert [word for word in said if word in ("sealed", "offline")] == options
    assert said[-2:] == ["--", "x"]


def _judge(machine: str, call: int, *arguments: int, is_sealed: bool, known: int = 0) -> int:
    """What a filter answers to a system call: the machine of the kernel, in a few lines."""
    architecture = known or {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}[machine]
    data = struct.pack("<IIQ6Q", call, architecture, 0, *arguments, *(0,) * (6 - len(arguments)))
    steps, at, held = landlock_launcher.build_filter(machine, is_sealed=is_sealed), 0, 0
    while True:
        code, yes, no, value = steps[at]
        at += 1
        if code == 0x20:
            held = struct.unpack_from("<I", data, value)[0]
        elif code == 0x06:
            return value
        else:
            at += yes if (held == value if code == 0x15 else held >= value) else no


_ALLOW, _REFUSE, _UNKNOWN = 0x7FFF0000, 0x00050001, 0x00050026
_UNIX, _INTERNET = 1, 2


@pytest.mark.parametrize(
    ("machine", "call", "arguments", "sealed", "offline"),
    [
        ("x86_64", 0, (), _ALLOW, _ALLOW),  # read
        ("x86_64", 90, (), _REFUSE, _ALLOW),  # chmod
        ("x86_64", 280, (), _REFUSE, _ALLOW),  # utimensat
        ("x86_64", 95, (), _ALLOW, _ALLOW),  # umask
        ("x86_64", 41, (_UNIX,), _REFUSE, _ALLOW),
        ("x86_64", 41, (_INTERNET,), _REFUSE, _REFUSE),
        ("x86_64", 16, (0, 0x40086602), _REFUSE, _ALLOW),  # chattr
        ("x86_64", 16, (0, 0x5401), _ALLOW, _ALLOW),  # a question to a terminal
        ("x86_64", 425, (), _UNKNOWN, _UNKNOWN),  # io_uring: a way around all of this
        ("x86_64", 0x40000000, (), _REFUSE, _REFUSE),  # the same calls by other numbers
        ("aarch64", 63, (), _ALLOW, _ALLOW),  # read
        ("aarch64", 53, (), _REFUSE, _ALLOW),  # fchmodat
        ("aarch64", 198, (_UNIX,), _REFUSE, _ALLOW),
        ("aarch64", 198, (_INTERNET,), _REFUSE, _REFUSE),
        ("aarch64", 452, (), _REFUSE, _ALLOW),  # fchmodat2
    ],
)
def test_the_filter_of_system_calls_answers_by_number_and_argument(
    machine: str, call: int, arguments: tuple[int, ...], sealed: int, offline: int
) -> None:
    assert _judge(machine, call, *arguments, is_sealed=True) == sealed
    assert _judge(machine, call, *arguments, is_sealed=False) == offline


def test_the_filter_refuses_the_calls_of_another_machine() -> None:
    assert _judge("x86_64", 0, is_sealed=True, known=0x40000003) == _REFUSE


def test_a_profile_of_seatbelt_says_the_rules_in_order() -> None:
    rules = [
        _rule("/home/me", PRIVATE),
        _rule("/home/me/.cargo", READ),
        _rule("/home/me/.cargo/key", HIDDEN, is_folder=False),
    ]
    lines = seatbelt.render_profile(_POLICY, [*rules, _rule('/w "quoted"', WRITE)]).splitlines()
    assert lines[0:3] == ["(version 1)", "(allow default)", "(deny file-write*)"]
    assert lines[lines.index("(deny network*)") :] == [
        "(deny network*)",
        '(deny file-read* file-write* (subpath "/home/me"))',
        '(allow file-read-metadata (subpath "/home/me"))',
        '(allow file-read* (subpath "/home/me/.cargo"))',
        '(deny file-write* (subpath "/home/me/.cargo"))',
        '(deny file-read* file-write* (literal "/home/me/.cargo/key"))',
        '(allow file-read-metadata (literal "/home/me/.cargo/key"))',
        '(allow file-read* file-write* (subpath "/w \\"quoted\\""))',
    ]


@pytest.mark.parametrize(
    ("network", "lines"),
    [
        (ON, []),
        (OFF, ["(deny network*)"]),
        (
            LOOPBACK,
            [
                "(deny network*)",
                '(allow network* (local ip "localhost:*"))',
                '(allow network* (remote ip "localhost:*"))',
            ],
        ),
    ],
)
def test_a_profile_of_seatbelt_says_what_network_there_is(network: str, lines: list[str]) -> None:
    text = seatbelt.render_profile(Confinement("/s", network=network), [])
    assert [line for line in text.splitlines() if "network" in line] == lines
