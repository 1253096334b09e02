"""Could the settings, the hooks or the submodules of a repository make git run a program?

Loaded only where one is found that is not the project's own.
"""

import os

from planrail.guard.repositories import LARGEST, common_of, read_file
from planrail.guard.shell.words import name_set

_GITLINK = b"\x00\x00\xe0\x00"  # the mode of a submodule in an index
# Sections and keys that name no program, in small letters. `remote.x.url` is written as `remote.url`.
_PLAIN = frozenset(
    f"{section}.{key}"
    for section, keys in (
        ("core", "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf"
         " eol safecrlf sharedrepository compression abbrev quotepath untrackedcache preloadindex longpaths"),
        ("extensions", "objectformat refstorage preciousobjects relativeworktrees"),
        ("remote", "url pushurl fetch push tagopt mirror prune gh-resolved"),
        ("branch", "remote merge rebase pushremote description autosetuprebase gh-merge-base vscode-merge-base"),
        ("submodule", "url active branch"),
        ("user", "name email"),
        ("init", "defaultbranch"),
        ("pull", "rebase ff"),
        ("push", "default autosetupremote followtags"),
        ("gc", "auto"),
        ("color", "ui"),
        ("lfs", "repositoryformatversion access"),
    )
    for key in keys.split()
)  # fmt: skip
# Hooks of commands that write. `post-index-change` is not among them.
_WRITING_HOOKS = name_set(
    "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg"
    " post-commit pre-rebase post-checkout post-merge pre-push post-rewrite"
)


def describe_danger(found: str) -> str:
    """What could make git run a program for a repository; "" where nothing can."""
    try:
        common = common_of(found)
        odd = odd_setting(read_file(f"{common}/config", LARGEST >> 10))
        hook = next((name for name in _names(f"{common}/hooks") if _runs_for_readers(name)), "")
        indexes = [name for name in _names(found) if name == "index" or name.startswith("sharedindex.")]
        has_modules = any(_has_modules(read_file(f"{found}/{name}", LARGEST)) for name in indexes)
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    if odd or hook:
        return f"its settings hold {odd}" if odd else f"it has the hook {hook}"
    return "it has submodules" if has_modules else ""


def _runs_for_readers(hook: str) -> bool:
    return hook not in _WRITING_HOOKS and not hook.endswith(".sample")


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _has_modules(index: bytes) -> bool:
    """Whether an index lists a submodule. Its entries are aligned, but for those of version 4."""
    is_aligned = index[4:8] in (b"\x00\x00\x00\x02", b"\x00\x00\x00\x03")
    at = index.find(_GITLINK)
    while at >= 0:
        if not is_aligned or at % 8 == 4:
            return True
        at = index.find(_GITLINK, at + 1)
    return False


def odd_setting(data: bytes) -> str:
    """The first line of a repository's settings that is not known to name no program; "" where all are."""
    section = ""
    for raw in data.decode("utf-8", "replace").split("\n"):
        line = raw.strip(" \t\r")
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            section, line = _section(line)
            if not line and section:
                continue
        key = line.partition("=")[0].strip(" \t").lower()
        if f"{section}.{key}" not in _PLAIN or "\\" in line or not line.isprintable():
            return f"`{(section + '.' + key)[:60]}`"
    return ""


def _section(line: str) -> tuple[str, str]:
    """The name of a section, without its second part, and what follows on the line; "" for one that is odd."""
    inside, closed, rest = line[1:].partition("]")
    name, quote, second = inside.partition('"')
    is_plain = name.strip(" \t").isalnum() and (not quote or (second.endswith('"') and '"' not in second[:-1]))
    if not closed or not is_plain or "\\" in inside:
        return "", line
    return name.strip(" \t").lower(), rest.strip(" \t")
