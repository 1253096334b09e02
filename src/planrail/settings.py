"""Settings: `planrail.toml` in the repository, over the user's own file, over the defaults given here.

A table that this module does not know belongs to another part of planrail and is left alone. A key that it does
not know, inside a table of its own, is a mistake that the user wants to hear about.
"""

import os

from planrail.errors import UsageError
from planrail.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FILE_NAME = "planrail.toml"
SECTIONS = ["Goal", "Scope", "Non-Scope", "Steps", "Verification", "Risks", "Open Questions"]
MAX_CHARACTERS = 20_000


@record
class LintSettings:
    """The `[lint]` table. `ignore` names rules, `ignore_paths` are globs of paths that need not exist."""

    sections: list[str]
    max_characters: int
    vague_words: list[str]
    ignore: list[str]
    ignore_paths: list[str]


@record
class Settings:
    """All settings that planrail has so far, one attribute for each table."""

    lint: LintSettings


DEFAULT_LINT = LintSettings(SECTIONS, MAX_CHARACTERS, [], [], [])


def load_settings(root: str | None, environment: "Mapping[str, str] | None" = None) -> Settings:
    """The settings for a repository (None: outside all of them), or a `UsageError` that names the key."""
    files = [_user_file(os.environ if environment is None else environment)]
    if root is not None:
        files.append(os.path.join(root, FILE_NAME))
    values: dict[str, object] = {}
    for path in files:
        values.update(_read_table(path, "lint"))
    return Settings(_lint(values))


def _user_file(environment: "Mapping[str, str]") -> str:
    folder = environment.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(folder, "planrail", FILE_NAME)


def _lint(values: dict[str, object]) -> LintSettings:
    merged = {key: values.get(key, getattr(DEFAULT_LINT, key)) for key in _LINT_KEYS}
    return LintSettings(**merged)  # type: ignore[arg-type] # _read_table has checked each value


def _read_table(path: str, name: str) -> dict[str, object]:
    table = _read_toml(path).get(name, {})
    if not isinstance(table, dict):
        raise UsageError(f"{path}: {name!r} must be a table", remedy=f"write it as [{name}]")
    for key, value in table.items():
        _check(path, name, key, value)
    return table


def _read_toml(path: str) -> dict[str, object]:
    import tomllib

    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", remedy="check the file's permissions") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}", remedy="correct that line") from error


def _check(path: str, table: str, key: str, value: object) -> None:
    if key not in _LINT_KEYS:
        allowed = ", ".join(_LINT_KEYS)
        raise UsageError(f"{path}: [{table}] has no setting {key!r}", remedy=f"use one of: {allowed}")
    accepts, what = _LINT_KEYS[key]
    if not accepts(value):
        raise UsageError(f"{path}: [{table}] {key} is {value!r}, which is not {what}", remedy=f"write {key} = {what}")


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word.strip() for word in value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


_LINT_KEYS: "dict[str, tuple[Callable[[object], bool], str]]" = {
    "sections": (_is_words, 'a list of section names, such as ["Goal", "Steps"]'),
    "max_characters": (_is_count, "a whole number above 0"),
    "vague_words": (_is_words, 'a list of words, such as ["asap"]'),
    "ignore": (_is_words, 'a list of rules, such as ["length"]'),
    "ignore_paths": (_is_words, 'a list of globs, such as ["dist/**"]'),
}
