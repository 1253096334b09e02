"""Which plan a session takes up, where the plan is a document of the project: the one that `planrail next` finds."""

import os
from pathlib import Path

import pytest

from tests.hook.driving import Host

_PLAN = "# Greeter\n\n## Phase 1: Greet\n\n- [ ] write hello.txt\n\n```sh check\ntest -s hello.txt\n```\n"
_DONE = _PLAN.replace("[ ]", "[x]").replace("Greet\n\n-", "Greet\n\nStatus: done\n\n-")


def _say(host: Host, folder: Path, prompt: str, session: str = "s") -> str:
    return host.send("UserPromptSubmit", session, folder, prompt=prompt).context


def _plan(host: Host, session: str = "s") -> str:
    known = host.session(session)
    return known.plan if known else ""


def _write(place: Path, text: str = _PLAN) -> str:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return str(place)


@pytest.mark.parametrize("prompt", ["execute the plan", "execute the plan in PLAN.md", "implement PLAN.md"])
def test_the_plan_at_the_root_is_carried_out(host: Host, project: Path, prompt: str) -> None:
    place = _write(project / "PLAN.md")
    _write(project / "docs/PLAN.md")
    assert "## Phase 1: Greet" in _say(host, project, prompt)
    assert _plan(host) == place


def test_it_is_looked_for_from_the_folder_of_the_session_up(host: Host, project: Path) -> None:
    _write(project / "PLAN.md")
    inner = _write(project / "app/PLAN.md")
    _say(host, project / "app", "execute the plan")
    assert _plan(host) == inner


def test_of_several_none_is_taken_and_each_can_be_named_as_it_is_listed(host: Host, project: Path) -> None:
    place = _write(project / "specs/001-login/tasks.md")
    _write(project / "specs/002-logout/tasks.md")
    told = _say(host, project, "execute the plan")
    assert "\n- specs/001-login/tasks.md\n" in f"{told}\n"
    assert "\n- specs/002-logout/tasks.md\n" in f"{told}\n"
    assert not _plan(host)
    _say(host, project, "execute the plan in specs/001-login/tasks.md")
    assert _plan(host) == place


@pytest.mark.parametrize(("text", "chosen"), [(_PLAN, "work/own.md"), (_DONE, "PLAN.md")])
def test_a_plan_under_way_in_the_folder_of_plans_comes_first_and_a_complete_one_does_not(
    host: Host, project: Path, text: str, chosen: str
) -> None:
    (project / "planrail.toml").write_text('[plans]\ndirectory = "work"\n')
    _write(project / "work/own.md", text)
    _write(project / "PLAN.md")
    _say(host, project, "execute the plan")
    assert _plan(host) == str(project / chosen)


@pytest.mark.parametrize("text", ["# Notes\n\nNothing to do.\n", None])
def test_what_is_no_plan_or_leads_out_of_the_project_is_not_taken_up(
    host: Host, project: Path, text: str | None
) -> None:
    if text is None:
        _write(project.parent / "elsewhere.md")
        os.symlink(project.parent / "elsewhere.md", project / "TODO.md")
    else:
        _write(project / "TODO.md", text)
    told = _say(host, project, "execute the plan")
    assert "Plan Not Found" in told
    assert "/planrail:plan" in told  # Claude Code keeps `/plan` for itself
    assert not _plan(host)
