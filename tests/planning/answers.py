"""Answers to the phases: good ones, and others."""

UNDERSTAND = """1. The problem is that empty names are greeted.
2. Success: an empty name is refused with status 2.
3. Constraint: names with spaces go on working.
4. Assumption: no script relies on the old behaviour.
5. Impact: everybody who calls greet."""
EXPLORE = "I read src/greeter.py:1, which greets, tests/test_greeter.py and README.md."
ALTERNATIVES = """1. Refuse in greet(). Pros: one place. Cons: an exception.
2. Refuse where arguments are read. Pros: no exception. Cons: other callers are not protected.

I recommend the first."""
PLAN = """# Refuse empty names

## Goal

`greet ""` exits with status 2.

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

## Verification

`python3 -m pytest` passes.

## Risks

None that is known.

## Open Questions

None.
"""
CRITIQUE = """1. P1 Ordering: PASS - one phase only
2. P2 File references: FAIL - 1.1 names no file
3. P4 Error paths: FAIL - what is printed is not said
4. P6 Verification: PASS - pytest is run"""
PROMISE = "<promise>PLAN_OK</promise>"
FINAL = f"{PLAN}\n{PROMISE}\n"
GOOD = {
    "understand": UNDERSTAND,
    "explore": EXPLORE,
    "alternatives": ALTERNATIVES,
    "draft": PLAN,
    "critique": CRITIQUE,
    "revise": PLAN,
    "interview": PLAN,
}


def good_answer(phase: str, *, is_last: bool) -> str:
    """What an agent says that does as it is told."""
    return FINAL if phase == "revise" and is_last else GOOD[phase]
