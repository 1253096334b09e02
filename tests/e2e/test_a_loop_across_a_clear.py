"""A Ralph loop whose window fills is saved, ended, and taken up again after the clear."""

from planrail.testing.model_server import ModelServer, Script, Usage, say
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.projects import Project

WINDOW = {"CONTEXT_WINDOW_TOKENS": "100000"}
HALF, FULL = Usage(input=1_000, cache_read=51_000), Usage(input=1_000, cache_read=61_000)
LOOP = """---
active: true
iteration: 3
max_iterations: 10
completion_promise: "THE HERON BOWS"
---

Teach the heron to bow, "slowly"

max_iterations: a line of the prompt
"""
RESUME = "RALPH LOOP AUTO-RESUME"


def test_a_loop_is_saved_ended_and_resumed_once(project: Project) -> None:
    """At 52 % it is saved and goes on; at 62 % it ends after this iteration. No stop is held.

    However late the clear comes, it is back with the iterations that were left; a second clear brings nothing.
    """
    file = project.folder / ".claude" / "ralph-loop.local.md"
    file.parent.mkdir()
    file.write_text(LOOP)
    turns = [say("One.", HALF), say("Two.", FULL), say("Three.", FULL), say("Four.", FULL), say("Back."), say("Fresh.")]
    with ModelServer(Script(*turns)) as server, Host(Claude(project, server, environment=WINDOW)) as host:
        host.say("begin")
        assert host.say("again") == "Two."
        saved, untouched = project.session("claude", host.session)["loop"], file.read_text()
        assert host.say("again") == "Three."
        ended = file.read_text()
        for text in ("and once more", "/clear", "go on", "/clear", "hello"):
            host.say(text)
    assert "CONTEXT WARNING: 52%" in server.turns[1].news
    assert isinstance(saved, dict)
    assert (saved["iteration"], saved["remaining"], saved["promise"]) == (3, 7, "THE HERON BOWS")
    assert untouched == LOOP
    assert "CONTEXT CRITICAL: 62%" in server.turns[2].news
    assert ended == LOOP.replace("max_iterations: 10", "max_iterations: 3")
    assert len(server.turns) == 6
    back, fresh = server.turns[4:]
    for fragment in (RESUME, "--max-iterations 7", "THE HERON BOWS", "Teach the heron to bow"):
        assert back.was_told(fragment)
    assert not fresh.was_told(RESUME)
