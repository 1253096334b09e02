"""Which settings there are, what each of them accepts, and how that is said to somebody who wrote another thing."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PROPOSE = ("eager", "normal", "never")
WORKFLOWS = ("phases", "interview", "free")
STRENGTHS = ("dialog", "terminal", "key")
LANDINGS = ("cherry-pick", "pr", "direct")


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word.strip() for word in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _up_to(most: int) -> "tuple[Callable[[object], bool], str]":
    return (lambda value: _is_count(value) and value <= most, f"a whole number from 1 to {most}")


def _is_priority(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -100 <= value <= 100


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_strength(value: object) -> bool:
    return value in STRENGTHS


def _is_word_table(value: object) -> bool:
    """Lists of words by their notion, and under `sections` the further titles of each section."""
    if not isinstance(value, dict):
        return False
    sections = value.get("sections", {})
    lists = [words for notion, words in value.items() if notion != "sections"]
    return isinstance(sections, dict) and all(map(_is_words, [*lists, *sections.values()]))


def _is_path(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_inside(value: object) -> bool:
    """A folder below the root, spelt plainly: whatever is written there stays in the project."""
    if not isinstance(value, str) or value != value.strip() or not value.isprintable():
        return False
    return all(part and part not in (".", "..") and not part.startswith(".git") for part in value.split("/"))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_limit(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def _is_whole_limit(value: object) -> bool:
    return _is_limit(value) and isinstance(value, int)


_MONEY = (_is_limit, "an amount in dollars, 0 for no limit")
_TOKENS = (_is_whole_limit, "a whole number of tokens, 0 for no limit")
_MINUTES = (_is_limit, "a number of minutes, 0 for no limit")
_ATTEMPTS = (_is_whole_limit, "a whole number, 0 for no limit")
_COMMAND = (_is_text, "a command line")


TOP_LEVEL = frozenset({"database"})  # keys that stand above all tables

TABLES: "dict[str, dict[str, tuple[Callable[[object], bool], str]]]" = {
    "lint": {
        "sections": (_is_words, 'a list of section names, such as ["Goal", "Steps"]'),
        "max_characters": (_is_count, "a whole number above 0"),
        "vague_words": (_is_words, 'a list of words, such as ["asap"]'),
        "ignore": (_is_words, 'a list of rules, such as ["length"]'),
        "ignore_paths": (_is_words, 'a list of globs, such as ["dist/**"]'),
    },
    "plans": {"directory": (_is_path, 'a folder in the project, such as "docs/plans"')},
    "planning": {
        "propose": (lambda value: value in PROPOSE, 'one of "eager", "normal", "never"'),
        "workflow": (lambda value: value in WORKFLOWS, '"phases", "interview" or "free"'),
        "auto_mode": (_is_flag, "true or false"),
        "explore_agents": _up_to(10),
        "plan_agents": _up_to(10),
        "rounds": (lambda value: _is_count(value) and value in (1, 2, 3, 4), "a whole number from 1 to 4"),
        "attempts": _up_to(20),
        "length": (_is_path, '"free", or a target such as "under 40 lines"'),
        "agent": (_is_path, 'the name of an agent, such as "claude"'),
        "critic": (lambda value: isinstance(value, str), 'the name of an agent, such as "codex"'),
        "timeout": (_is_count, "a whole number of minutes"),
        "words": (_is_word_table, 'a table of lists, such as { aspects = ["kwestie"] }'),
    },
    "approval": {
        "required": (_is_flag, "true or false"),
        "in_session": (_is_strength, 'one of "dialog", "terminal", "key"'),
        "headless": (_is_strength, 'one of "dialog", "terminal", "key"'),
        "auto": (_is_strength, 'one of "dialog", "terminal", "key"'),
        "lead": (_is_path, "a name or an e-mail address"),
        "signers": (_is_path, "the path of an allowed-signers file, outside the repository"),
        "agents": (_is_words, 'a list of program names, such as ["my-agent"]'),
    },
    "guard": {
        "block": (_is_flag, "true or false"),
        "allow_tools": (_is_words, 'a list of tools, such as ["mcp__docs__search"]'),
    },
    "context": {
        "warn": _up_to(100),
        "hold": _up_to(100),
        "window": (_is_count, "a whole number of tokens"),
    },
    "run": {
        "agent": (_is_path, 'the name of an agent, such as "claude"'),
        "verifier": (_is_text, 'the name of an agent, such as "codex"'),
        "model": (_is_text, "the name of a model"),
        "landing": (lambda value: value in LANDINGS, 'one of "cherry-pick", "pr", "direct"'),
        "main_protected": (_is_flag, "true or false"),
        "branch_prefix": (_is_text, 'the beginning of a branch name, such as "feat/"'),
        "target": (_is_text, 'the name of a branch, such as "main"'),
        "workspace": (lambda value: value in ("clone", "worktree"), '"clone" or "worktree"'),
        "workspaces": (_is_text, "a folder outside the repository"),
        "provision": _COMMAND,
        "include": (_is_words, 'a list of globs, such as [".env.test"]'),
        "known_secrets": (_is_words, 'a list of globs and fingerprints, such as ["tests/keys/*", "1f3b5c7d9e0a"]'),
        "parallel": _up_to(10),
        "timeout": (_is_count, "a whole number of minutes"),
        "verify_timeout": (_is_count, "a whole number of minutes"),
        "reports": (_is_path, 'a folder in the project, such as "reports"'),
        "wait_for_limit": (_is_flag, "true or false"),
        "merge": (lambda value: value in ("merge", "squash", "rebase"), 'one of "merge", "squash", "rebase"'),
        "ci_timeout": (_is_count, "a whole number of minutes"),
        "command": _COMMAND,
        "acp": _COMMAND,
        "account": (_is_text, "a name for the agent's account"),
        "priority": (_is_priority, "a whole number from -100 to 100"),
    },
    "testing": {
        "command": _COMMAND,
        "timeout": (_is_count, "a whole number of minutes"),
        "files": (_is_words, 'a list of globs, such as ["spec/**"]'),
    },
    "budget": {
        **{f"{scope}money": _MONEY for scope in ("", "phase_", "attempt_")},
        **{f"{scope}tokens": _TOKENS for scope in ("", "phase_", "attempt_")},
        **{f"{scope}minutes": _MINUTES for scope in ("", "phase_", "attempt_")},
        **{f"{scope}attempts": _ATTEMPTS for scope in ("", "phase_")},
    },
    "ui": {
        "server": _COMMAND,
        "url": (_is_text, 'an address on this machine, such as "http://127.0.0.1:3000"'),
        "ready": (_is_count, "a whole number of seconds"),
        "screenshots": (_is_words, 'a list of paths, such as ["/", "/settings"]'),
        "files": (_is_words, 'a list of globs, such as ["src/ui/**"]'),
        "sign_off": (_is_flag, "true or false"),
        "browser": (_is_text, 'the path of a Chromium or Chrome, such as "/usr/bin/chromium"'),
    },
    "schedule": {"timezone": (_is_text, 'the name of a time zone, such as "Europe/Berlin"')},
    "worker": {
        "slots": _up_to(64),
        "turn": (_is_count, "a whole number of minutes"),
        "drain": (_is_whole_limit, "a whole number of seconds"),
        "repository": (_is_text, 'a name for the repository, such as "example.org/team/shop"'),
    },
    "tasks": {
        "folder": (_is_inside, 'a folder in the project, such as "specs"'),
        "commit": (_is_flag, "true or false"),
        "timeout": (_is_count, "a whole number of minutes"),
        "prime": (_is_flag, "true or false"),
        "type": (_is_path, 'a type of tasks, such as "general"'),
    },
}
