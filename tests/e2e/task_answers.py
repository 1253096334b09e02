"""What a scripted model answers in the stages of a task: a report, an outline, its phase, a critique."""

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


def outline(**more: object) -> Answer:
    """The outline of a plan with one phase."""
    return {
        "title": "Greet the world",
        "overview": "The project shall greet. One file says it, and nothing else changes.",
        "goals": ["a greeting"],
        "non_goals": ["other languages"],
        "risks": [{"risk": "a wrong word", "mitigation": "a check looks for it"}],
        "phases": [{"title": "Say hello", "goal": "hello.txt greets the world", "depends_on": []}],
        "testing": ["grep -q world hello.txt"],
        "outputs": ["hello.txt"],
        "rollback": "Remove hello.txt.",
        "effort": "1 hour",
        "roadmap_items": [],
        **more,
    }


def details(command: str = "grep -q world hello.txt") -> Answer:
    """The details of its phase."""
    return {
        "tasks": ["write hello.txt"],
        "timing": "1 hour",
        "criteria": [{"command": command, "text": "the world is greeted"}],
        "files": ["hello.txt"],
    }


CONTENT: Answer = {"verdict": "pass", "problems": [], "summary": "It is clear and can be checked."}


def complaint(text: str) -> Answer:
    """A critic who wants the phase changed."""
    return {"verdict": "revise", "problems": [{"phase": 1, "text": text}], "summary": "Not yet."}


def revision(command: str) -> Answer:
    """The phase as it is after that."""
    head = {"number": 1, "title": "Say hello", "goal": "hello.txt greets the world", "depends_on": []}
    return {
        "overview": "",
        "goals": [],
        "non_goals": [],
        "risks": [],
        "phases": [{**head, **details(command)}],
        "answers": [{"problem": "the check", "text": "it looks for the word now"}],
        "memory_candidates": [],
    }
