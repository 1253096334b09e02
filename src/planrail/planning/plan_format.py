"""The format of plans that planrail asks for and writes: what goes into the draft prompt, with an example.

Everything in it is read back by `planrail show`, and the example is linted clean; tests hold it to that.
"""

EXAMPLE = """\
# Refuse empty names

## Goal

`greet ""` prints `Hello, !` today. It shall exit with status 2 and say why.

## Scope

The function `greet()` in `src/greeter.py`, and its tests.

## Non-Scope

Names of white space only; other commands.

## Steps

### Phase 1: Refuse an empty name

**Depends on:** none
**Effort:** S

- [ ] 1.1 In `src/greeter.py`, let `greet()` refuse an empty name with an error
- [ ] 1.2 Create `tests/test_empty.py` with a test for the empty name and one for `Ada`

#### Acceptance Criteria

- [ ] `python3 -m pytest tests/test_empty.py` passes

### Phase 2: Exit with status 2

**Depends on:** Phase 1
**Effort:** S

- [ ] 2.1 In `src/greeter.py`, catch the error where the arguments are read, print it to stderr, exit with 2

#### Acceptance Criteria

```sh check
python3 src/greeter.py "" 2>/dev/null; test $? -eq 2
python3 src/greeter.py Ada | grep -qx "Hello, Ada!"
```

## Verification

`python3 -m pytest` passes. The check of the phase shows that a name still greets as before.

## Risks

A script that passes an empty name on purpose stops working. Mitigation: the message names the cause.

## Open Questions

None.
"""

_RULES = """\
Write the plan in this format. Planrail reads it with a program; the example below shows all of it.

- One `#` heading: the title. No front matter: planrail writes it. No preamble and no closing remarks.
- Then these seven `##` sections, in this order, each with content ("None." where there is nothing to say):
  Goal, Scope, Non-Scope, Steps, Verification, Risks, Open Questions.
- The work stands under `## Steps`, as phases: `### Phase N: name`, counted from 1, simplest first; a phase comes after
  all that it depends on, and leaves the project working.
- Under each phase heading: `**Depends on:**` with the phases that must be finished before it ("Phase 1, Phase 3"), or
  "none"; and `**Effort:**` S (up to an hour), M (half a day) or L (a day). What is more than L is two phases.
- Then its work items, each with a box and a number: `- [ ] 1.1 …`. An item names the file, and what is done in it.
  Write "create" where the file is not there yet.
- Then `#### Acceptance Criteria`: boxes that begin with a command in backticks which fails until the phase is done; or
  a fenced block with the info string `sh check`. What no command can judge is a sentence that a person can.
- Name paths and symbols in backticks, as they are in the repository. No "as needed", "properly", "etc.".

Example:

"""

FORMAT = f"{_RULES}````markdown\n{EXAMPLE}````\n"

SMALL_EXAMPLE = """\
# Refuse empty names

## Goal

`greet ""` prints `Hello, !` today. It shall exit with status 2 and say why.

## Steps

### Phase 1: Refuse an empty name

**Effort:** S

- [ ] 1.1 In `src/greeter.py`, let `greet()` refuse an empty name with an error
- [ ] 1.2 Create `tests/test_empty.py` with a test for the empty name and one for `Ada`

#### Acceptance Criteria

- [ ] `python3 -m pytest tests/test_empty.py` passes

## Verification

`python3 -m pytest` passes.
"""

SMALL_FORMAT = f"""\
Write the plan in this format, which planrail reads with a program: a `#` title, then `## Goal`, `## Steps` with one
phase (`### Phase 1: name`), its items (`- [ ] 1.1 …`, each names the file) and its acceptance criteria, which begin
with a command in backticks, and `## Verification`. Name paths and symbols in backticks, as they are in the repository.

````markdown
{SMALL_EXAMPLE}````
"""
