"""The pipeline: the order of its steps, every exit one ending, and the same walk after any number of crashes."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planrail.ask.durable import Durable
from planrail.base.run_model import (
    YIELDED,
    DriftOutcome,
    Ending,
    ItemVerdict,
    Landing,
    Options,
    Order,
    PhaseOrder,
    Proof,
    Verdict,
    Work,
)
from planrail.runs.pipeline import run_plan
from planrail.runs.steps.site import Paused
from planrail.store.journal import Journal
from tests.support.scripted_workshop import BAD, GOOD, NO, YES, Died, ScriptedWorkshop, limit, lost, paused, refusal

LINE = ["start", "measure_base", "freshen", "open_workspace", "implement", "snapshot", "gather", "verify", "drift"]
LANDING = ["build", "prove", "land", "end_phase"]


def make_phase(name: str, needs: tuple[str, ...] = (), *, is_ui: bool = False) -> PhaseOrder:
    return PhaseOrder(name, f"Part {name}", "text", ("item",), (), (), (), needs, is_ui=is_ui, stated_needs=needs)


def make_order(*phases: PhaseOrder, **options: object) -> Order:
    chosen = Options(**{"auto": True, "finish": True, **options})  # type: ignore[arg-type]
    return Order("run", "plan", "PLAN.md", "/", "plan", "Plan", "refs/heads/main", True, "", phases, chosen)


def walk(folder: Path, order: Order, shop: ScriptedWorkshop) -> Ending:
    folder.mkdir(exist_ok=True)
    journal = Journal(str(folder / "journal.jsonl"))
    try:
        return run_plan(Durable(journal).do, shop, order)  # type: ignore[arg-type] # it answers by a script
    finally:
        journal.close()


def steps_of(shop: ScriptedWorkshop, phase: str) -> list[str]:
    return [step.partition(":")[2] for step in shop.done if step.startswith(f"{phase}:")]


def test_each_phase_goes_through_all_steps_in_their_order(tmp_path: Path) -> None:
    order = make_order(make_phase("1"), make_phase("2", ("1",)))
    shop = ScriptedWorkshop(order)
    assert walk(tmp_path, order, shop).state == "complete"
    assert steps_of(shop, "1") == steps_of(shop, "2") == [*LINE, *LANDING]
    assert shop.done[-3:] == [":verify_all", ":build_mark", ":complete"]


def test_one_phase_alone_does_not_complete_a_plan_that_has_more(tmp_path: Path) -> None:
    order = make_order(make_phase("1"), make_phase("2", ("1",)), finish=False)
    shop = ScriptedWorkshop(order)
    shop.is_to_give_way = True  # there is nothing to give way for
    assert walk(tmp_path, order, shop).state == "phase_done"
    assert steps_of(shop, "2") == []


def test_a_run_that_is_to_give_way_does_one_phase_and_says_which_is_next(tmp_path: Path) -> None:
    order = make_order(make_phase("1"), make_phase("2", ("1",)))
    shop = ScriptedWorkshop(order)
    shop.is_to_give_way = True
    ending = walk(tmp_path, order, shop)
    assert (ending.state, ending.phase) == (YIELDED, "2")
    assert steps_of(shop, "1")[-1] == "end_phase"
    assert steps_of(shop, "2") == []


@pytest.mark.parametrize(
    ("finish", "unread", "told"),
    [(False, 1, "nobody has read 1 criterion"), (True, 2, "nobody has read 4 criteria"), (True, 0, "")],
)
def test_the_last_line_says_how_many_criteria_nobody_has_read(
    tmp_path: Path, finish: bool, unread: int, told: str
) -> None:
    order = make_order(make_phase("1"), make_phase("2", ("1",)), finish=finish)
    verdict = Verdict(True, "checks", (ItemVerdict("a", "done"), *(ItemVerdict("b", "unread"),) * unread))
    ending = walk(tmp_path, order, ScriptedWorkshop(order, {"verify": [verdict, verdict]}))
    assert ending.state == ("complete" if finish else "phase_done")
    assert ending.text.partition("; ")[2] == (f"{told}, see planrail report PLAN.md --full" if told else "")


@pytest.mark.parametrize("answers", [{"gather": [BAD, GOOD]}, {"verify": [NO, YES]}])
def test_what_is_found_is_mended_once_and_judged_again(tmp_path: Path, answers: dict[str, list[object]]) -> None:
    order = make_order(make_phase("1"))
    shop = ScriptedWorkshop(order, answers)
    assert walk(tmp_path, order, shop).state == "complete"
    assert steps_of(shop, "1").count("fix") == 1
    assert steps_of(shop, "1").count("verify") == 2


@pytest.mark.parametrize("answers", [{"gather": [BAD]}, {"verify": [NO]}])
def test_what_is_not_mended_by_one_fix_never_lands(tmp_path: Path, answers: dict[str, list[object]]) -> None:
    order = make_order(make_phase("1"), make_phase("2"))
    shop = ScriptedWorkshop(order, answers)
    ending = walk(tmp_path, order, shop)
    assert (ending.state, ending.phase) == ("failed", "1")
    assert "land" not in steps_of(shop, "1")
    assert steps_of(shop, "1")[-1] == "end_phase"
    assert steps_of(shop, "2") == []


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        ("start", refusal()),
        ("snapshot", refusal("nothing_done")),
        ("build", refusal("conflict")),
        ("prove", Proof(False, ("a hunk is missing",))),
        ("land", Landing("refused", message="protected")),
        ("publish", Landing("pr-ci-failing", message="red")),
        ("drift", DriftOutcome(abort="far off")),
    ],
)
def test_every_refusal_ends_the_attempt_on_record(tmp_path: Path, step: str, answer: object) -> None:
    order = make_order(make_phase("1"), landing="pr" if step == "publish" else "cherry-pick")
    shop = ScriptedWorkshop(order, {step: [answer]})
    ending = walk(tmp_path, order, shop)
    assert ending.state == "failed"
    assert shop.done[-1] == "1:end_phase"
    assert shop.endings == [ending]


def test_a_target_that_moved_is_built_upon_and_proven_anew(tmp_path: Path) -> None:
    order = make_order(make_phase("1"))
    shop = ScriptedWorkshop(order, {"land": [Landing("moved"), Landing("moved"), Landing("landed", "c")]})
    assert walk(tmp_path, order, shop).state == "complete"
    assert [steps_of(shop, "1").count(step) for step in ("build", "prove", "land", "implement")] == [3, 3, 3, 1]


@pytest.mark.parametrize("step", ["build", "prove", "land"])
def test_work_that_cannot_land_rests_and_is_built_and_proven_anew_when_it_is_resumed(tmp_path: Path, step: str) -> None:
    order = make_order(make_phase("1"), make_phase("2", ("1",)))
    rests = Paused("waiting", "in the way", "planrail resume PLAN.md", phase="1")
    ending = walk(tmp_path, order, ScriptedWorkshop(order, {step: [rests]}))
    assert (ending.state, ending.phase, ending.command) == ("waiting", "1", "planrail resume PLAN.md")
    again = ScriptedWorkshop(order)
    assert walk(tmp_path, order, again).state == "complete"
    assert steps_of(again, "1") == LANDING
    assert steps_of(again, "2") == [*LINE, *LANDING]


def test_a_lost_agent_is_a_new_attempt(tmp_path: Path) -> None:
    order = make_order(make_phase("1"))
    shop = ScriptedWorkshop(order, {"implement": [lost(), lost(), Work(True)]})
    assert walk(tmp_path, order, shop).state == "complete"
    assert steps_of(shop, "1").count("start") == 3


def test_a_usage_limit_is_waited_for_and_the_conversation_goes_on(tmp_path: Path) -> None:
    order = make_order(make_phase("1"))
    shop = ScriptedWorkshop(order, {"implement": [limit(), limit(), Work(True)]})
    assert walk(tmp_path, order, shop).state == "complete"
    assert steps_of(shop, "1").count("wait_for_limit") == 2
    assert steps_of(shop, "1").count("start") == 1


def test_a_paused_step_is_asked_again_by_whoever_resumes(tmp_path: Path) -> None:
    order = make_order(make_phase("1", is_ui=True))
    shop = ScriptedWorkshop(order, {"sign_off": [paused()]})
    assert walk(tmp_path, order, shop).state == "paused"
    again = ScriptedWorkshop(order)
    assert walk(tmp_path, order, again).state == "complete"
    assert again.done[0] == "1:sign_off"


def test_without_auto_a_person_is_asked_at_each_pause(tmp_path: Path) -> None:
    alone = make_order(make_phase("1"), auto=False, finish=False)
    shop = ScriptedWorkshop(alone, {"confirm.start": [False]})
    assert walk(tmp_path / "alone", alone, shop).state == "paused"
    assert "implement" not in steps_of(shop, "1")
    order = make_order(make_phase("1"), make_phase("2"), auto=False)
    shop = ScriptedWorkshop(order, {"verify": [NO, YES], "drift": [DriftOutcome(asks="14 % off")]})
    assert walk(tmp_path, order, shop).state == "complete"
    asked = [step for step in shop.done if "confirm" in step]
    assert asked == [
        *("1:confirm.fix", "1:confirm.drift"),
        *("2:confirm.go_on", "2:confirm.drift"),
    ]


@pytest.mark.parametrize(
    ("landing", "state"),
    [("landed", "complete"), ("pr-ready", "pr_ready"), ("pr-ci-failing", "failed"), ("conflict", "failed")],
)
def test_a_request_of_all_phases_is_merged_once_at_the_end(tmp_path: Path, landing: str, state: str) -> None:
    order = make_order(make_phase("1"), make_phase("2"), landing="pr")
    shop = ScriptedWorkshop(order, {"publish": [Landing("pr-ready", "c")], "merge": [Landing(landing, "c")]})
    assert walk(tmp_path, order, shop).state == state
    assert [step for step in shop.done if "publish" in step] == ["1:publish", "2:publish"]
    assert shop.done[-1] == ":merge"


def test_phases_that_need_nothing_of_each_other_go_side_by_side(tmp_path: Path) -> None:
    phases = [make_phase("1"), make_phase("2"), make_phase("3", ("1", "2"))]
    order = make_order(*phases, parallel=2)
    shop = ScriptedWorkshop(order)
    assert walk(tmp_path, order, shop).state == "complete"
    assert [step for step in shop.done if step.endswith(":land")] == ["1:land", "2:land", "3:land"]


@pytest.mark.full
@settings(max_examples=60)
@given(deaths=st.lists(st.integers(min_value=0, max_value=18), max_size=12), data=st.data())
def test_however_often_it_dies_every_step_that_has_ended_is_done_once_but_for_proofs(
    tmp_path_factory: pytest.TempPathFactory, deaths: list[int], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("walk")
    phases = [make_phase("1"), make_phase("2", ("1",)), make_phase("3", ("1",))]
    order = make_order(*phases, parallel=data.draw(st.integers(min_value=1, max_value=2)))
    done: list[str] = []
    for death in [*deaths, -1]:
        shop = ScriptedWorkshop(order, dies_before=death)
        try:
            ending = walk(folder, order, shop)
        except Died:
            done += shop.done
            continue
        done += shop.done
        if death == -1 or ending.state == "complete":
            break
    whole = ScriptedWorkshop(order)
    walk(tmp_path_factory.mktemp("once"), order, whole)
    assert set(done) == set(whole.done)
    assert sorted(filter(_is_kept, done)) == sorted(filter(_is_kept, whole.done))


def _is_kept(step: str) -> bool:
    """Whether a step's result is believed after a crash. What decides about a landing is looked at again."""
    return not step.endswith(("build", "prove", "land", "verify_all"))
