"""A Ralph loop whose window fills is saved, ended, and taken up again after the clear."""

from planrail.testing.model_server import ModelServer, Script, Usage, say
from tests.e2e.claude import Claude
from tests.e2e.claude_host import Host
from tests.e2e.projects import Project

WINDOW = {"CONTEXT_WINDOW_TOKENS": "100000"}
HALF, FULL = Usage(input=1_000, cache_read=51_000), Usage(input=1_000, cache_read=61_000)
PROMPT = 'Teach the heron to bow, "slowly"'
LOOP = f"""---
active: true
iteration: 3
max_iterations: 10
completion_promise: "THE HERON BOWS"
---

{PROMPT}

max_iterations: a line of the prompt
"""
RESUME = "RALPH LOOP AUTO-RESUME"


def start_loop(project: Project, text: str = LOOP) -> None:
    """The loop's own plugin has written its file."""
    (project.folder / ".claude").mkdir()
    (project.folder / ".claude" / "ralph-loop.local.md").write_text(text)


def loop_file(project: Project) -> str:
    return (project.folder / ".claude" / "ralph-loop.local.md").read_text()


def test_a_loop_is_saved_ended_and_resumed(project: Project) -> None:
    """At 52 % it is saved and goes on; at 62 % it ends after this iteration. No stop is held; after the clear it is back."""
    start_loop(project)
    turns = [say("One.", HALF), say("Two.", FULL), say("Three.", FULL), say("Back.")]
    with ModelServer(Script(*turns)) as server, Host(Claude(project, server, environment=WINDOW)) as host:
        host.say("begin")
        assert host.say("again") == "Two."
        saved, untouched = project.session("claude", host.session)["loop"], loop_file(project)
        assert host.say("again") == "Three."
        ended = loop_file(project)
        host.say("/clear")
        host.say("go on")
    assert "CONTEXT WARNING: 52%" in server.turns[1].news
    assert isinstance(saved, dict)
    assert (saved["iteration"], saved["remaining"], saved["promise"]) == (3, 7, "THE HERON BOWS")
    assert untouched == LOOP
    assert "CONTEXT CRITICAL: 62%" in server.turns[2].news
    assert ended == LOOP.replace("max_iterations: 10", "max_iterations: 3")
    assert len(server.turns) == 4
    back = server.turns[3]
    for fragment in (RESUME, "--max-iterations 7", "THE HERON BOWS", "Teach the heron to bow"):
        assert back.was_told(fragment)


def test_a_loop_keeps_its_iterations_however_late_the_clear_comes(project: Project) -> None:
    """The person types twice more before the clear: what remained when the loop was ended still remains."""
    start_loop(project)
    turns = [say("One.", FULL), say("Two.", FULL), say("Three.", FULL), say("Back.")]
    with ModelServer(Script(*turns)) as server, Host(Claude(project, server, environment=WINDOW)) as host:
        for text in ("begin", "again", "and once more", "/clear", "go on"):
            host.say(text)
    assert server.turns[-1].was_told("--max-iterations 7")


def test_a_loop_is_resumed_once(project: Project) -> None:
    """The second clear brings nothing back: the loop was handed over."""
    start_loop(project)
    turns = [say("One.", FULL), say("Two."), say("Back."), say("Fresh.")]
    with ModelServer(Script(*turns)) as server, Host(Claude(project, server, environment=WINDOW)) as host:
        for text in ("begin", "again", "/clear", "go on", "/clear", "hello"):
            host.say(text)
    assert server.turns[2].was_told(RESUME)
    assert not server.turns[3].was_told(RESUME)
