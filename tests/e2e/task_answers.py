"""What a scripted model answers in the stages of a task: a report, a plan, a critique."""

from collections.abc import Mapping

Answer = dict[str, object]
_REMEMBERED: list[Mapping[str, object]] = [
    {"content": "WOODPECKER greets in lower case", "category": "PATTERN", "confidence": 0.9, "keywords": ["greeting"]}
]


def report(**more: object) -> Answer:
    """The report of a research."""
    return {
        "title": "How the project greets",
        "summary": ["there is no greeting yet"],
        "context": "The whole repository, which is one file.",
        "findings": [{"title": "Nothing greets", "text": "notes.md:3 says that there is nothing yet"}],
        "decisions": ["a file, since nothing runs here"],
        "recommendations": ["write hello.txt"],
        "risks": [{"risk": "none to speak of", "mitigation": "none"}],
        "sources": ["notes.md"],
        "memory_candidates": _REMEMBERED,
        **more,
    }


def plan(command: str = "grep -q world hello.txt") -> str:
    """A plan with one phase."""
    return f"""# Greet the world

## Goal

The project greets: `hello.txt` says hello to the world.

## Scope

One new file, `hello.txt`.

## Non-Scope

Other languages.

## Steps

### Phase 1: Say hello

**Depends on:** none
**Effort:** S

- [ ] Create `hello.txt`, which greets the world

#### Acceptance Criteria

- [ ] `{command}` passes

## Verification

`grep -q world hello.txt` passes.

## Risks

A wrong word; the check looks for it.

## Open Questions

None.
"""


def promised(command: str = "grep -q world hello.txt") -> str:
    """The plan at its end."""
    return f"{plan(command)}\n<promise>PLAN_OK</promise>\n"


def critique(text: str) -> str:
    """A critic who wants the phase changed."""
    return f"""1. P1 ordering: PASS - there is one phase
2. P6 runnable verification: FAIL - {text}
3. P10 new developer: PASS - everything is named
"""
