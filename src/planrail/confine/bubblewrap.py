"""The command line of bubblewrap for a policy: namespaces of its own, with the machine mounted read-only. Pure."""

import os
from collections.abc import Iterable, Sequence

from planrail.confine.places import SHARED_PLACES
from planrail.confine.policies import HIDDEN, ON, PRIVATE, READ, WRITE, AccessRule, Confinement

_NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
# What root keeps: to be the owner of files and to become another user. Nothing that mounts, traces, makes devices or
# opens a file by its handle.
_OF_ROOT = ("CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_SETGID", "CAP_SETUID")


def wrap(
    program: str, argv: Sequence[str], policy: Confinement, rules: Iterable[AccessRule], *, is_root: bool
) -> list[str]:
    """bubblewrap with its options, then the command. What it starts dies with it, and it with its parent."""
    ordered = list(rules)
    words = [program, *_NAMESPACES, "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    words += [] if policy.network == ON else ["--unshare-net"]
    for rule in ordered:
        words += _mount(rule, policy)
    for rule in ordered:
        words += ["--remount-ro", rule.path] if rule.access == HIDDEN and rule.is_folder else []
    if is_root:
        words += ["--cap-drop", "ALL", *(word for name in _OF_ROOT for word in ("--cap-add", name))]
    return [*words, "--", *argv]


def _mount(rule: AccessRule, policy: Confinement) -> list[str]:
    if rule.access in (READ, WRITE):
        return ["--bind" if rule.access == WRITE else "--ro-bind", rule.source, rule.path]
    home = os.path.realpath(policy.home) if policy.home else ""
    if rule.access == PRIVATE and home and (rule.path == home or rule.path.startswith(f"{home}/")):
        return ["--bind", os.path.join(policy.scratch, "home", rule.path[len(home) + 1 :]).rstrip("/"), rule.path]
    if rule.access == PRIVATE and rule.path == SHARED_PLACES[0]:
        return ["--bind", os.path.join(policy.scratch, "tmp"), rule.path]
    mode = ["--perms", "1777"] if rule.access == PRIVATE else []
    return [*mode, "--tmpfs", rule.path] if rule.is_folder else ["--ro-bind", os.devnull, rule.path]
