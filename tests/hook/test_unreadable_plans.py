"""A plan file that turns out to be no text: an agent is told so, and sees none of its bytes."""

from pathlib import Path
from shlex import quote

import pytest

from planrail.base.records import replace
from planrail.hook.sessions.state import APPROVED, PLAN_PENDING
from tests.hook.driving import Host

_CONTENTS = {
    "binary": b"\x7fELF\x00\x01\x02SECRET\xff\xfe",
    "UTF-16": "# SECRET\n".encode("utf-16"),
    "not valid UTF-8": b"# SECRET \xe9\n\n- [ ] a\n",
}

_WAYS = ("compact", "reload", "plan status")


def _attach(host: Host, project: Path, content: bytes) -> str:
    plan = project / "plan.md"
    plan.write_bytes(content)
    kept = {"project": str(project), "plan": str(plan), "stage": APPROVED, "intent": PLAN_PENDING}
    host.change("s", lambda session: replace(session, **kept))
    return str(plan)


@pytest.mark.parametrize(
    ("way", "kind"), [*(("clear", kind) for kind in _CONTENTS), *((way, "binary") for way in _WAYS)]
)
def test_an_agent_is_told_that_its_plan_cannot_be_read(host: Host, project: Path, way: str, kind: str) -> None:
    plan = _attach(host, project, _CONTENTS[kind])
    if way == "clear":
        told = host.clear("s", "t", project).context
    elif way == "compact":
        told = host.send("SessionStart", "s", project, source="compact").context
    else:
        told = host.send("UserPromptSubmit", "s", project, prompt=way).context
    assert f"{plan} is" in told
    assert kind in told
    assert f"planrail show {quote(str(plan))}" in told
    assert "SECRET" not in told
    assert "ACTION REQUIRED" not in told


def test_a_person_who_asks_for_it_is_told_the_same(host: Host, project: Path) -> None:
    _attach(host, project, _CONTENTS["binary"])
    host.change("s", lambda session: replace(session, planning=True, own_mode=True))
    shown = host.send("UserPromptSubmit", "s", project, prompt="/plan").reason
    assert "is a binary file" in shown
    assert "SECRET" not in shown
