"""Which variables a command may set without changing what later programs do."""

from planrail.guard.shell.words import Word, is_number, name_set

# Set before a command, or exported. All of them change what is printed, none what is run.
_HARMLESS = name_set(
    "LANG LANGUAGE TZ NO_COLOR COLUMNS LINES FORCE_COLOR CLICOLOR CLICOLOR_FORCE BLOCK_SIZE"
    " GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT GIT_LITERAL_PATHSPECS GREP_COLOR GREP_COLORS LS_COLORS TERM CI DEBUG"
    " NO_UPDATE_NOTIFIER PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED"
)
_PAGERS = ("PAGER", "GIT_PAGER", "MANPAGER", "GH_PAGER", "BAT_PAGER", "SYSTEMD_PAGER")

# Names in capitals that people give to their own variables, and that no reader looks at.
_OWN = name_set(
    "BASE BRANCH COMMIT COUNT DIR DIRS END F FILE FILES FROM HASH ID IDX LINE N NAME NAMES NUM PAT PATTERN"
    " PKG PLAN PLANS PROJECT Q REF REPO REV ROOT SHA SRC START TAG TO TOTAL VERSION WORD X Y IFS OUT OUTPUT RESULT"
)
# zsh ties these to what it runs; the others are read by tools as their configuration.
_SPECIAL = name_set(
    "path fpath cdpath manpath mailpath module_path psvar watch prompt argv status pipestatus aliases functions"
    " match mbegin mend reply commands options builtins modules"
    " dirstack chpwd_functions precmd_functions preexec_functions zshexit_functions periodic_functions"
    " history jobstates dis_aliases galiases saliases zsh_eval_context"
    " histchars fignore nameddirs dis_functions dis_galiases dis_saliases keymaps widgets"
)


def may_assign(name: str) -> bool:
    """Whether a variable of the shell itself may take any value (`f=src/a.py; head "$f"`)."""
    if name in _OWN or (len(name) == 1 and name != "_"):
        return True
    if name.upper() == name or name in _SPECIAL:
        return False
    return not name.startswith(("npm_", "pip_", "BASH", "GIT", "LD", "DYLD")) and not name.endswith("_proxy")


def may_export(name: str, value: Word) -> bool:
    """Whether a program may be given the variable (`LC_ALL=C sort f`)."""
    if name in _PAGERS:
        return value.exact and value.text in ("cat", "")
    if name in ("COLUMNS", "LINES"):  # zsh evaluates what it is given for a number
        return value.exact and is_number(value.text)
    if name in _HARMLESS or name.startswith("LC_"):
        return value.exact and not value.text.startswith(("/", ".", "(")) and ".." not in value.text
    return False
