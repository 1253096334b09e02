"""The profile of Seatbelt, macOS's own sandbox, for a policy. Pure; of its rules the last one that fits wins."""

from collections.abc import Iterable, Sequence

from planrail.confine.places import DEVICES
from planrail.confine.policies import HIDDEN, LOOPBACK, ON, PRIVATE, READ, WRITE, AccessRule, Confinement

PROGRAM = "/usr/bin/sandbox-exec"
_HEAD = (
    *("(version 1)", "(allow default)", "(deny file-write*)", "(deny process-info* (target others))"),
    *("(deny signal)", "(allow signal (target same-sandbox))", "(deny system-socket)", "(deny appleevent-send)"),
)
_RIGHTS = {
    HIDDEN: ("(deny file-read* file-write* {})", "(allow file-read-metadata {})"),
    PRIVATE: ("(deny file-read* file-write* {})", "(allow file-read-metadata {})"),
    READ: ("(allow file-read* {})", "(deny file-write* {})"),
    WRITE: ("(allow file-read* file-write* {})",),
}


def wrap(argv: Sequence[str], policy: Confinement, rules: Iterable[AccessRule]) -> list[str]:
    """sandbox-exec with the profile, then the command. Private places are not there for it but in its scratch."""
    return [PROGRAM, "-p", render_profile(policy, rules), *argv]


def render_profile(policy: Confinement, rules: Iterable[AccessRule]) -> str:
    lines = [*_HEAD, *(f"(allow file-write* {_filter('literal', path)})" for path in DEVICES)]
    if policy.network != ON:
        lines += ["(deny network*)"]
    if policy.network == LOOPBACK:
        lines += ['(allow network* (local ip "localhost:*"))', '(allow network* (remote ip "localhost:*"))']
    for rule in rules:
        where = _filter("subpath" if rule.is_folder else "literal", rule.source)
        lines += [form.format(where) for form in _RIGHTS[rule.access]]
    return "\n".join(lines)


def _filter(kind: str, path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'({kind} "{escaped}")'
