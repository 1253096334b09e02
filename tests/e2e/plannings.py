"""A planning in phases as the scripted model plays it, and what planrail has kept of it."""

import json
from pathlib import Path

from planrail.testing.model_server import Turn, call, say
from tests.e2e.plan_files import told_plan_file, write_plan
from tests.e2e.projects import Project
from tests.planning.answers import ALTERNATIVES, CRITIQUE, PROMISE, UNDERSTAND

EXPLORED = "I read notes.md, which is empty, and src/greeter.py, which greets."
PLAN = """# Refuse empty names

## Goal

`greet("")` raises an error.

## Scope

`greet()` and its tests.

## Non-Scope

White space.

## Steps

### Phase 1: Refuse

**Depends on:** none
**Effort:** S

- [ ] 1.1 Refuse an empty name

#### Acceptance Criteria

- [ ] `python3 -m pytest` passes

### Phase 2: Tell

**Depends on:** Phase 1
**Effort:** S

- [ ] 2.1 Say in `notes.md` what is refused

#### Acceptance Criteria

- [ ] `grep -q refused notes.md` passes

## Verification

`python3 -m pytest` passes.

## Risks

None that is known.

## Open Questions

None.
"""
BETTER = PLAN.replace("Refuse an empty name", "In `src/greeter.py`, refuse an empty name")
BEST = BETTER.replace("refuse an empty name", "raise ValueError for an empty name")
ENDING = f"Revised.\n\n{PROMISE}"


def add_source(project: Project, settings: str = "") -> None:
    """Something to plan about, and the person's settings: by default none, so that the phases are planrail's own."""
    project.choose(settings)
    source = Path(project.path("src/greeter.py"))
    source.parent.mkdir()
    source.write_text("def greet(name):\n    return f'Hello, {name}!'\n")
    project.git("add", ".")
    project.git("commit", "--quiet", "--message", "Greet")


def before_the_draft() -> tuple[Turn, ...]:
    """The phases that write no plan."""
    return say(UNDERSTAND), say(EXPLORED), say(ALTERNATIVES)


def up_to_the_proposal() -> tuple[Turn, ...]:
    """A whole planning with one round, in which everything is good at once."""
    draft = (write_plan(PLAN), say("The draft is written."))
    return *before_the_draft(), *draft, say(CRITIQUE), write_plan(BETTER), say(ENDING)


def read_plan() -> Turn:
    """The model reads its plan: Claude Code lets nobody write a file that was changed since they read it."""
    return call("Read", lambda request: {"file_path": told_plan_file(request)})


def planning_folder(project: Project) -> Path:
    """The folder of the only planning in this story."""
    (folder,) = (project.state / "plannings").iterdir()
    return folder


def progress(project: Project) -> dict[str, object]:
    """How far the only planning has come."""
    state = json.loads((planning_folder(project) / "planning.json").read_text())
    found = state["progress"]
    assert isinstance(found, dict)
    return {**found, "phase": found["phases"][found["index"]]}
