"""What the documents say about installing is what is there."""

import argparse
from pathlib import Path

from planrail.cli.sessions import init_command
from planrail.hook import AGENTS
from planrail.install.targets import InstallPlace, agent_path

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_every_file_that_init_writes_is_described() -> None:
    text = (DOCS / "install.md").read_text()
    for agent in AGENTS:
        assert f"`{agent_path(agent, InstallPlace(''), {})}`" in text
        assert f"`{agent_path(agent, InstallPlace('', is_user=True), {'HOME': '~'})}`" in text


def test_every_option_of_init_is_described() -> None:
    parser = argparse.ArgumentParser()
    init_command.configure(parser)
    text = (DOCS / "install.md").read_text()
    options = [option for action in parser._actions for option in action.option_strings if option.startswith("--")]
    assert [option for option in options if option != "--help" and option not in text] == []
