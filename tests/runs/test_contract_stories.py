"""What the plan forbids stands in the prompts of those who write and judge, and work that breaks it does not land."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.base.records import record
from tests.claims_refused.stage import PHASE, PLAN, Stage

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")

# A verifier that looks for the rule in what it was told, and then at the work. `part` is the rule's number, or W1.
_FOLLOWS = """
cp "$prompt" "$CAST/verifier.prompt"
rules=$(sed -n 's/^\\(R[0-9]*\\)[.] .*/\\1/p' "$prompt")
part=$(grep -F '{rule}' "$prompt" | sed -n 's/^\\(R[0-9]*\\)[.] .*/\\1/p')
grep -qF '{rule}' "$prompt" && part=${{part:-W1}}
printf '{{"scope": [], "test_changes": [], "drift": [], "summary": "seen", "items": ['
for id in W1 $rules; do
  word=done; [ "$id" = "$part" ] && ( {broken} ) && word=failed
  [ "$id" = W1 ] || printf ,
  printf '{{"id": "%s", "text": "", "verdict": "%s", "places": ["greeting.txt:1"], "note": "seen"}}' "$id" "$word"
done
printf ']}}'
"""
_WRITES = 'cp "$prompt" "$CAST/implementer.prompt"; echo hello > greeting.txt; '


@record
class Story:
    """A rule of a plan, the work that breaks it, and how that is seen."""

    section: str
    rule: str
    work: str
    broken: str


STORIES = {
    "a forbidden dependency": Story(
        "## Constraints\n\n- No new dependency: the standard library only\n",
        "No new dependency",
        "echo requests >> dependencies.txt",
        "grep -q requests dependencies.txt",
    ),
    "a file that must not change": Story(
        "## Non-Goals\n\n| what | why |\n|---|---|\n| LICENSE is not touched | lawyers |\n",
        "LICENSE is not touched",
        "echo mine >> LICENSE",
        "grep -q mine LICENSE",
    ),
    "an interface that must stay": Story(
        "**Constraints:** `greet(name)` keeps its signature.\n",
        "`greet(name)` keeps its signature",
        "echo 'def greet(name, mood): ...' > greet.py",
        "grep -q mood greet.py",
    ),
    "a stated design": Story(
        "## Design\n\nGreetings are plain files; nothing runs as a server.\n",
        "nothing runs as a server",
        "echo 'import http.server' > server.py",
        "test -e server.py",
    ),
    "a performance limit with a check": Story(
        "## Constraints\n\n- `sh bench.sh` passes: a greeting takes at most 5 words\n",
        "a greeting takes at most 5 words",
        "echo 9 > words.txt",
        "false",  # the check alone stops it
    ),
    "a language rule": Story(
        "## Randbedingungen\n\n- Alle Texte für Nutzer sind auf Deutsch\n",
        "Alle Texte für Nutzer sind auf Deutsch",
        "echo 'Press any key' > help.txt",
        "grep -q Press help.txt",
    ),
}


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "stage")
    made.files |= {"LICENSE": "free\n", "dependencies.txt": "", "greet.py": "def greet(name): ...\n"}
    made.files |= {"words.txt": "3\n", "bench.sh": 'test "$(cat words.txt)" -le 5\n'}
    yield made
    made.end()


@pytest.mark.parametrize("name", STORIES)
def test_work_that_breaks_the_plan_does_not_land(stage: Stage, name: str) -> None:
    story = STORIES[name]
    stage.files[PLAN] = f"# Greeter\n\nPeople are greeted.\n\n{story.section}\n{PHASE}"
    stage.implementer(_WRITES + story.work)
    stage.verifier(_FOLLOWS.format(rule=story.rule, broken=story.broken))
    stage.refused(stage.run(), "`sh bench.sh` ended with exit code 1" if "check" in name else "failed: seen")
    for role in ("implementer",) if "check" in name else ("implementer", "verifier"):  # no work that fails is judged
        told = (stage.cast / f"{role}.prompt").read_text()
        assert story.rule in told
        assert "People are greeted." in told


def test_work_that_keeps_them_all_lands(stage: Stage) -> None:
    sections = "\n".join(story.section for story in STORIES.values())
    stage.files[PLAN] = f"# Greeter\n\n{sections}\n{PHASE}"
    stage.implementer(_WRITES)
    stage.verifier(_FOLLOWS.format(rule="No new dependency", broken="test -e server.py"))
    stage.landed(stage.run())
    told = (stage.cast / "verifier.prompt").read_text()
    assert all(story.rule in told for story in STORIES.values())
    assert [line.partition(". ")[0] for line in told.splitlines() if line[:1] in "WR" and ". " in line[:4]] == [
        *("W1", "R1", "R2", "R3", "R4", "R5")
    ]
