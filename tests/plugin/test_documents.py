"""What the documents say about installing and settings is what is there."""

import argparse
import re
from pathlib import Path

from planrail.cli import init_command
from planrail.cli.install_targets import AGENTS, Place, agent_path
from planrail.settings.schema import TABLES

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_every_setting_is_described_with_its_table() -> None:
    described: dict[str, set[str]] = {}
    table = ""
    for row in re.findall(r"^\| (?:`\[(\w+)\]`)? ?\| `(\w+)` \|", (DOCS / "settings.md").read_text(), re.MULTILINE):
        table = row[0] or table
        described.setdefault(table, set()).add(row[1])
    assert described == {name: set(keys) for name, keys in TABLES.items()}


def test_every_file_that_init_writes_is_described() -> None:
    text = (DOCS / "install.md").read_text()
    for agent in AGENTS:
        assert f"`{agent_path(agent, Place(''), {})}`" in text
        assert f"`{agent_path(agent, Place('', is_user=True), {'HOME': '~'})}`" in text


def test_every_option_of_init_is_described() -> None:
    parser = argparse.ArgumentParser()
    init_command.configure(parser)
    text = (DOCS / "install.md").read_text()
    options = [option for action in parser._actions for option in action.option_strings if option.startswith("--")]
    assert [option for option in options if option != "--help" and option not in text] == []
