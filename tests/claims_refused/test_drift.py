"""Drift corrects numbers that were estimates; it does not move the goal to where the ball lies."""

from tests.claims_refused.stage import PLAN, Stage, verdict

PHASES = """## Phase 1 — Greet

- [ ] write greeting.txt

### Acceptance

- [ ] at least 100 lines in greeting.txt
- [ ] about 200 words

```sh check
test "$(wc -l < greeting.txt)" -ge {least}
```

## Phase 2 — More

- [ ] write more.txt

### Acceptance

- [ ] at least 100 lines in more.txt

```sh check
test "$(wc -l < more.txt)" -ge 100
```
"""


def drifting(stage: Stage, lines: int, *tokens: str, least: int = 1) -> None:
    stage.files[PLAN] = "# Greeter\n\n" + PHASES.format(least=least)
    said = "\n".join(f"echo 'PLAN-TEXT-DRIFT: {token}'" for token in tokens)
    stage.implementer(f"seq {lines} > greeting.txt\n{said}")
    stage.answer(*(verdict(part, "greeting.txt:1") for part in ("W1", "C1")), verdict("C2", "greeting.txt:2"))


def test_a_number_far_below_the_plans_ends_the_attempt(stage: Stage) -> None:
    drifting(stage, 30, "phase=1 bullet=1 field=lines plan=at least 100 actual=30")
    stage.refused(stage.run("1", "auto"), "70 %")


def test_a_token_does_not_change_the_check_of_its_own_run(stage: Stage) -> None:
    drifting(stage, 95, "phase=1 bullet=1 field=lines plan=at least 100 actual=95", least=100)
    stage.refused(stage.run("1", "auto"), "wc -l")


def test_a_bullet_that_drifts_twice_ends_the_attempt(stage: Stage) -> None:
    token = "phase=2 bullet=1 field=lines plan=at least 100 actual=95"
    drifting(stage, 100, token)
    assert stage.run("1", "auto").code == 0
    stage.was = stage.head()
    assert "95" in (stage.show(PLAN) or "")
    stage.implementer(
        "seq 100 > more.txt; echo 'PLAN-TEXT-DRIFT: phase=2 bullet=1 field=lines plan=at least 95 actual=90'"
    )
    stage.answer(verdict("W1", "more.txt:1"), verdict("C1", "more.txt:2"))
    stage.refused(stage.run("2", "auto"), "was corrected before", phase="2")


def test_a_number_of_another_phase_is_not_this_phases_to_lower(stage: Stage) -> None:
    drifting(stage, 100, "phase=2 bullet=1 field=lines plan=at least 100 actual=30")
    stage.refused(stage.run("1", "auto"), "70 %")


def test_a_token_in_the_work_is_not_read(stage: Stage) -> None:
    drifting(stage, 100)
    stage.implementer(
        "{ seq 100; echo 'PLAN-TEXT-DRIFT: phase=1 bullet=1 field=lines plan=at least 100 actual=91'; } > greeting.txt"
    )
    assert stage.run("1", "auto").code == 0
    assert "at least 100 lines in greeting.txt" in (stage.show(PLAN) or "")
