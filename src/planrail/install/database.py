"""The questions of `planrail doctor --database`: is a team's database named, does it answer, and is it fit for work?

Each question is one finding. Nothing is created or changed, and no password is shown.
"""

from collections.abc import Mapping

from planrail.base.errors import PlanrailError
from planrail.install.findings import BAD, NOTE, WELL, Finding
from planrail.store.team import check_url, find_database, hide_password

_EXAMPLE = 'write database = "postgresql://USER@HOST/NAME" at the top of planrail.toml and commit it'


def check_database(root: str | None, environment: Mapping[str, str], url: str = "") -> list[Finding]:
    """Every finding about the database that is configured here, or about the one that is named."""
    try:
        found, source = (check_url(url, "--database"), "the command line") if url else find_database(root, environment)
    except PlanrailError as error:
        return [Finding("settings", BAD, error.message, error.remedy)]
    if not found:
        text = "no database is configured here: plans, approvals and runs are kept in the repository itself"
        return [Finding("settings", BAD, text, f"{_EXAMPLE}, or name one: planrail doctor --database URL")]
    return [_settings(found, source), *_examine(found)]


def _settings(url: str, source: str) -> Finding:
    text = f"{source} names {hide_password(url)}"
    if "committed" in source and hide_password(url) != url:
        remedy = "change it, take it out of the commit, and keep it in ~/.pgpass or in your own planrail.toml"
        return Finding(
            "settings", NOTE, f"{text}, and its password is there for all who can read the repository", remedy
        )
    return Finding("settings", WELL, text)


def _examine(url: str) -> list[Finding]:
    from planrail.install.database_probe import open_probe
    from planrail.install.database_questions import ask_all

    probe = open_probe(url)
    if isinstance(probe, Finding):
        return [probe]
    with probe:
        return ask_all(probe)
