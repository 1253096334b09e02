"""Which settings hold here, and where each comes from; or one of them, or a new value for it.

planrail config                        what differs from the defaults
planrail config run                    the settings of one table
planrail config run.agent              one setting, and what it accepts
planrail config run.agent claude       write it into planrail.toml; with --user, into your own file
planrail config run.agent --unset      take it out of there again

With --json: {"settings": [{"name", "value", "origin", "accepts", "uncommitted"}], "files": [paths]}.
"""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from planrail.approval.book import project_root
from planrail.base.errors import UsageError
from planrail.base.settings import FILE_NAME, HEARD_AS_COMMITTED, user_file
from planrail.base.settings.tables import TABLES
from planrail.base.wording import Answer, paint, pick, quote
from planrail.cli.refusals import refusal_as_json
from planrail.projects.configuring import DEFAULT, Setting, change_setting, find_setting, list_settings
from planrail.projects.settings_writing import spell_value


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="a setting, such as run.agent")
    parser.add_argument("value", metavar="VALUE", nargs="?", help="what it is to be")
    parser.add_argument("--all", action="store_true", help="those that have their default as well")
    parser.add_argument("--unset", action="store_true", help="take it out of the file: what holds else holds again")
    parser.add_argument("--user", action="store_true", help="write into your own file, for all projects")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    root = project_root(os.getcwd())
    files = [os.path.join(root, FILE_NAME), user_file(os.environ)]
    with refusal_as_json({"settings": []}, as_json=arguments.json):
        settings = list_settings(root, os.environ)
        is_table = arguments.name in TABLES and arguments.value is None
        if is_table:
            settings = [one for one in settings if one.name.startswith(f"{arguments.name}.")]
        elif arguments.name is not None:
            settings = [find_setting(settings, arguments.name)]
        if arguments.unset and (is_table or arguments.name is None or arguments.value is not None):
            raise UsageError("--unset takes the name of one setting, and no value", remedy="planrail config")
        if arguments.unset or arguments.value is not None:
            return _change(settings[0], arguments.value, files[arguments.user])
    shown = [one for one in settings if arguments.all or arguments.name or one.origin != DEFAULT or one.is_uncommitted]
    listed = [{**pick(one, "name value origin accepts"), "uncommitted": one.is_uncommitted} for one in shown]
    lines = _explain(settings[0]) if arguments.name and not is_table else _render(shown)
    command = "planrail config" if arguments.name else "planrail config --all"
    if any(one.is_uncommitted for one in shown):
        command = _name_commit(files[0])
    told = {"settings": listed, "files": [path for path in files if os.path.isfile(path)]}
    return Answer(told, lines, command="planrail doctor" if arguments.all else command)


def _render(shown: list[Setting]) -> Iterator[str]:
    width = max((len(one.name) for one in shown), default=0)
    for one in shown:
        origin = "" if one.origin == DEFAULT else f"  ({one.origin})"
        yield f"{one.name:<{width}} = {_spell(one)}{paint(origin, 'dim')}"
        if one.is_uncommitted:
            yield paint(f"  {FILE_NAME} says another thing, which holds once it is committed", "yellow")
    if not shown:
        yield "every setting has its default"


def _explain(one: Setting) -> Iterator[str]:
    yield from _render([one])
    yield f"  it accepts {one.accepts}; this is from: {one.origin}"


def _spell(one: Setting) -> str:
    return (
        "not set" if one.value is None else spell_value(list(one.value) if isinstance(one.value, tuple) else one.value)
    )


def _name_commit(path: str) -> str:
    typed = quote(os.path.relpath(path))
    return f"git add {typed} && git commit -m 'Change a setting' {typed}"


def _change(setting: Setting, words: str | None, path: str) -> Answer:
    is_own = path == user_file(os.environ)
    value = change_setting(path, setting.name, words, is_own=is_own)
    shown = path if is_own else os.path.relpath(path)
    lines = [f"{shown}: {setting.name} {'is not set any more' if words is None else f'= {spell_value(value)}'}"]
    command = "planrail config"
    if setting.name.partition(".")[0] in HEARD_AS_COMMITTED and not is_own:
        lines.append("  it holds once it is committed: an agent can edit the file")
        command = _name_commit(path)
    return Answer({"settings": [{"name": setting.name, "value": value}], "files": [path]}, lines, command=command)
