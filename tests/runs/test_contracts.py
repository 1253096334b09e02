"""What agents are told of the whole plan: as much as there is room for, and the rest as files."""

from planrail.base.records import replace
from planrail.base.run_model import CheckRun, Contract, Evidence, ItemVerdict, Options, Order, PhaseOrder
from planrail.memory.store import count_tokens
from planrail.plans.contract import read_passages
from planrail.plans.execution.executions import order_phases, refuse_runbook
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.runs.contracts import BUDGET, tell_contract
from planrail.runs.evidence.judging import judge_checks
from planrail.runs.prompts import fix_prompt, implement_prompt, verify_prompt
from planrail.runs.verdicts.judging import VerdictFacts, judge_verdict, verdict_by_checks
from planrail.runs.verdicts.reading import CitationContext, check_places, parts_of, verdict_schema

PHASE = PhaseOrder("1", "Greet", "## Phase 1\n\n- [ ] greet\n", ("greet",), (), (), (), rules=("Non-goals: SSO",))
ORDER = Order("r1", "p1", "PLAN.md", "/repo", "p", "Plan", "refs/heads/main", True, "h", (PHASE,), Options())
GROUND = CitationContext({"a.py": 9, "b.py": 9}, ("a.py",), ())


def tell(contract: Contract, landed: str = "", phase: PhaseOrder = PHASE) -> tuple[str, str]:
    return tell_contract(replace(ORDER, contract=contract), phase, "side/contract.md", landed)


def test_short_parts_are_told_word_for_word_and_long_ones_as_files() -> None:
    design = "word " * (BUDGET * 4 // 5)
    told, more = tell(Contract((("Goal", "to greet"), ("Design", design)), (("spec.md", "short"), ("docs/big.md", ""))))
    assert "to greet" in told
    assert "short" in told
    assert "word word" not in told
    assert "side/contract.md; read it before you begin: Design" in told
    assert "docs/big.md" in told
    assert design.strip() in more
    assert "to greet" not in more
    assert tell(Contract()) == ("", "")


def test_what_earlier_phases_landed_comes_before_documents() -> None:
    told, _ = tell(Contract(documents=(("spec.md", "the spec"),)), "- phase 0 (Begin): a.py; defines def a()")
    assert told.index("defines def a()") < told.index("the spec")


def test_a_prompt_has_at_most_4000_tokens_beside_the_phase_for_a_plan_of_30_kb() -> None:
    listed = "".join(f"- Rule {number}: {'nothing of that kind is done anywhere ' * 3}\n" for number in range(12))
    prose = "The greeter greets people by their names, in their language. " * 60
    item = "- [ ] write a module that greets one more kind of people, with tests and a page of documentation\n"
    phases = "".join(f"## Phase {number} — Part {number}\n\n{item * 12}\n" for number in range(1, 20))
    text = f"# Greeter\n\n## Goal\n\n{prose}\n\n## Design\n\n{prose}\n\n## Constraints\n\n{listed}\n{phases}"
    assert 28_000 < len(text) < 40_000
    plan = read(PlanSource("PLAN.md", text))
    passages = tuple((one.title, one.text) for one in read_passages(text, plan))
    documents = tuple((f"docs/{name}.md", "x " * 1_900) for name in "abc")
    order = replace(ORDER, phases=order_phases(plan, text), contract=Contract(passages, documents))
    phase = order.phases[5]
    assert len(phase.rules) == 12
    contract, _ = tell_contract(order, phase, "side/contract.md", "- phase 1 (Part 1): src/greeter.py\n" * 5)
    made = [
        implement_prompt(order, phase, contract=contract),
        fix_prompt(order, phase, ["a check failed"], contract=contract),
        verify_prompt(order, phase, Evidence("t", ()), diff_file="d", evidence_file="e", contract=contract),
    ]
    assert max(map(count_tokens, made)) - count_tokens(phase.text) <= 4_000
    assert all(rule in told for rule in phase.rules for told in made)


def answer(verdict: str, place: str, note: str = "seen") -> str:
    import json

    items = [("W1", "done", "a.py:1", "it greets"), ("R1", verdict, place, note)]
    told = [dict(zip(("id", "verdict", "places", "note"), (i, v, [p], n), strict=True)) for i, v, p, n in items]
    return json.dumps({"items": told})


def judge(said: str) -> tuple[str, ...]:
    return judge_verdict(said, PHASE, VerdictFacts(GROUND, Evidence("t", ()))).problems


def test_a_rule_is_a_part_that_the_verifier_answers_for() -> None:
    assert [part.id for part in parts_of(PHASE)] == ["W1", "R1"]
    assert '"R1"' in verdict_schema(PHASE)
    assert judge(answer("done", "b.py:3")) == (), "it may be seen in a file that did not change"
    assert judge(answer("kept", "b.py:3", "SSO is not implemented")) == ()
    assert "R1 (Non-goals: SSO) failed: not kept: seen" in judge(answer("not kept", "a.py:1"))
    assert "has no verdict" in judge(answer("unread", "", ""))[0]
    assert "without a place" in judge(answer("done", ""))[0]
    assert "line 30 is cited" in judge(answer("done", "b.py:30"))[0]
    assert "could not be verified" in judge(answer("done", "b.py:3", "it could not be verified"))[0]


def test_one_place_may_show_that_many_rules_are_kept() -> None:
    rules = [ItemVerdict(f"rule {number}", "done", "b.py:3") for number in range(6)]
    assert check_places(rules, GROUND, are_rules=True) == ()
    assert len(check_places(rules, GROUND)) == 7


def test_checks_alone_judge_no_rule() -> None:
    verdict = verdict_by_checks(PHASE, Evidence("t", ()))
    assert [item.verdict for item in verdict.items] == ["failed", "unread"]


CHECKED = """# Greeter

## Constraints

- `make bench` passes
- no threads

## Phase 1 — A

- [ ] greet

```sh check
test -e a
```

## Phase 2 — B

- [ ] part
"""


def test_a_rule_that_begins_with_a_command_is_a_check_of_every_phase_and_none_of_its_own() -> None:
    first, second = order_phases(read(PlanSource("p.md", CHECKED)), CHECKED)
    assert [(check.command, check.origin) for check in first.checks] == [("test -e a", "block"), ("make bench", "rule")]
    assert [check.command for check in second.checks] == ["make bench"]
    assert second.own_checks == ()
    assert "has no check" in refuse_runbook(replace(second, scripts=("x",)))


def run_of(command: str, origin: str, exit_code: int) -> CheckRun:
    return CheckRun(command, origin, 5, "t", exit_code, 0.1, "h", "o")


def test_a_rule_that_the_base_breaks_as_well_is_told_and_stops_nothing() -> None:
    before, now = run_of("make bench", "rule", 1), run_of("make bench", "rule", 1)
    assert [finding.is_failure for finding in judge_checks([before], [now])] == [False]
    assert [finding.is_failure for finding in judge_checks([replace(before, exit=0)], [now])] == [True]
    assert judge_checks([replace(before, exit=0)], [replace(now, exit=0)], checks_decide=True) == []


def test_a_rule_with_a_check_is_judged_by_it() -> None:
    phase = order_phases(read(PlanSource("p.md", CHECKED)), CHECKED)[0]
    verdict = verdict_by_checks(
        phase, Evidence("t", (run_of("test -e a", "block", 0), run_of("make bench", "rule", 0)))
    )
    assert verdict.passed
    assert [(item.verdict, item.place) for item in verdict.items[1:]] == [("done", "$ make bench"), ("unread", "")]
