"""What the documents promise: commands, options, settings and links that exist, and answers that really come."""

import argparse
import re
import shlex
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from planrail.base.settings import load_settings
from planrail.cli.list_command import KINDS
from planrail.cli.list_command import load_part as load_kind
from planrail.cli.main import COMMANDS, OLD_NAMES, load_command
from planrail.cli.task_command import COMMANDS as TASK_COMMANDS
from planrail.cli.task_command import TaskCommand, load_part
from tests.cli.documents import PAGES, ROOT, Project, matches, read_blocks, read_typed

TRIED = (
    "docs/tutorial.md",
    "docs/runs.md",
    "docs/landing.md",
    "docs/schedules.md",
    "docs/tasks.md",
)  # pages whose console blocks are typed
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\((?P<to>[^)\s]+)\)")
_CODE = re.compile(r"`planrail (?P<words>[^`\n]+)`")
_TYPED = re.compile(r"^(?:\$ )?planrail (?P<words>[^#\n]+)", re.MULTILINE)
_SETTING = re.compile(r"^\| (?:`\[(?P<table>\w+)\]`)? ?\| (?P<keys>`[^|]+`) \| (?P<default>[^|]*) \|", re.MULTILINE)
_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def _name_heading(title: str) -> str:
    """A heading as links name it: lower case, hyphens, nothing else."""
    return re.sub(r"[^\w\- ]", "", title.replace("`", "").strip().lower()).replace(" ", "-")


def _headings(page: Path) -> set[str]:
    text = re.sub(r"^(`{3,}).*?^\1 *$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {_name_heading(found) for found in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@_PAGE
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for found in _LINK.finditer(page.read_text(encoding="utf-8")):
        to, _, heading = found["to"].partition("#")
        if "://" in to:
            continue
        target = (page.parent / to).resolve() if to else page
        assert target.exists(), f"{page.name} links to {to}"
        assert not heading or heading in _headings(target), f"{page.name} links to {to}#{heading}"


# ---- commands ----


def _commands(page: Path) -> "list[list[str]]":
    """The words behind `planrail` of everything on a page that can be typed."""
    blocks = [block for block in read_blocks(page) if block.language in ("sh", "console")]
    said = [found["words"] for block in blocks for found in _TYPED.finditer(block.body)]
    said += [found["words"] for found in _CODE.finditer(page.read_text(encoding="utf-8"))]
    return [_split(words) for words in said]


def _split(words: str) -> list[str]:
    """The words of the first command of a line, without the brackets of a usage."""
    reader = shlex.shlex(words, posix=True, punctuation_chars=";|&<>()")
    reader.whitespace_split = True
    found: list[str] = []
    try:
        for word in reader:
            if word[0] in ";|&<>()":
                break
            found.append(word.strip("[]"))
    except ValueError:  # a quote without its end: an apostrophe in a sentence
        return words.split()
    return [word for word in found if word and word != "…"]


def _module(name: str, rest: list[str]) -> ModuleType | TaskCommand:
    """Where a command declares its options; those about tasks and lists have a file for each of their parts."""
    if name in OLD_NAMES:
        name, *rest = [*OLD_NAMES[name].split(), *rest]
    if name == "list" and rest and rest[0] in KINDS:
        return load_kind(rest[0])
    if name != "task":
        return load_command(name)
    part = rest[0] if rest and not rest[0].startswith("-") else "overview"
    assert part in TASK_COMMANDS or part in ("overview", "COMMAND"), f"planrail task {part}"
    return load_part(part.replace("COMMAND", "overview"))


def _options(name: str, rest: list[str]) -> set[str]:
    """All options of a command and of its parts."""
    parser = argparse.ArgumentParser()
    _module(name, rest).configure(parser)
    found: set[str] = set()
    parsers = [parser]
    while parsers:
        for action in parsers.pop()._actions:
            found.update(action.option_strings)
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()
    return found


@_PAGE
def test_every_command_and_option_that_a_page_names_exists(page: Path) -> None:
    for name, *rest in _commands(page):
        if not re.fullmatch(r"[a-z-]+", name) or name.startswith("-"):
            continue  # a place to fill in, or an option of planrail itself
        is_old = name in OLD_NAMES and page.name == "CHANGELOG.md"
        if name == "help":
            continue
        assert name in COMMANDS or is_old, f"{page.name}: planrail {name}"
        own = rest[: rest.index("--")] if "--" in rest else rest  # behind it stands another command
        given = {word.partition("=")[0] for word in own if re.match(r"--?[a-z]", word)}
        unknown = (
            given - _options(name, rest) - ({"--json"} if name == "drift" else set())
        )  # it reads that one by itself
        assert not unknown, f"{page.name}: planrail {name} {' '.join(sorted(unknown))}"


def test_the_readme_names_every_command_for_people() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    called_by_agents = {"hook", "statusline", "attach", "detach"}
    missing = [name for name in COMMANDS if f"planrail {name}" not in text and f"`{name}`" not in text]
    assert set(missing) <= called_by_agents


# ---- settings ----


def _documented() -> "dict[tuple[str, str], str]":
    """The default of each setting as the page shows it, by table and key."""
    found: dict[tuple[str, str], str] = {}
    table = ""
    for row in _SETTING.finditer((ROOT / "docs/settings.md").read_text(encoding="utf-8")):
        table = row["table"] or table
        found |= {(table, key): row["default"].strip() for key in re.findall(r"`(\w+)`", row["keys"])}
    return found


def test_every_setting_is_documented_with_its_default(tmp_path: Path) -> None:
    documented = _documented()
    settings = load_settings(None, {"XDG_CONFIG_HOME": str(tmp_path)})
    for table in (
        "lint",
        "plans",
        "planning",
        "guard",
        "context",
        "run",
        "testing",
        "budget",
        "ui",
        "schedule",
        "worker",
        "tasks",
    ):
        values = getattr(settings, table)
        for key in values.__annotations__:
            assert (table, key) in documented, f"[{table}] {key}"
            shown = documented[table, key]
            if shown.startswith("`"):
                assert tomllib.loads(f"x = {shown.strip('`')}")["x"] == getattr(values, key), f"[{table}] {key}"


def test_no_setting_is_documented_that_does_not_exist(tmp_path: Path) -> None:
    from planrail.base.settings import FILE_NAME

    tables = {table for table, _ in _documented()}
    for table, key in _documented():
        assert table in tables
        (tmp_path / FILE_NAME).write_text(f"[{table}]\n{key} = 1979-05-27\n")
        with pytest.raises(Exception, match=rf"\[{table}\] {key} is "):  # a value that no setting takes
            load_settings(str(tmp_path), {"XDG_CONFIG_HOME": str(tmp_path)})


# ---- what is shown ----


@pytest.mark.full
@pytest.mark.parametrize("name", TRIED)
def test_what_a_page_shows_is_what_comes(name: str, tmp_path: Path) -> None:
    project = Project(tmp_path)
    for block in read_blocks(ROOT / name):
        if block.file:
            project.write(block.file, block.body)
        for typed in read_typed(block) if block.language == "console" else ():
            came = project.type(typed.command)
            assert matches(typed.shown, came), f"{name}:{block.line}: $ {typed.command}\n" + "\n".join(came)
