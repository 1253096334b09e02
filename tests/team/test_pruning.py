"""Pruning: an open plan loses nothing, a finished one nothing that answers a question, an archived one everything."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planrail.approval.book import make_book
from planrail.base.crash_points import VARIABLE
from planrail.base.records import record
from planrail.base.run_model import CheckRun
from planrail.runs.landing.work_refs import work_ref
from planrail.runs.reporting.events import list_events
from planrail.store.fact_rows import Ledger, open_folder
from planrail.store.pruning import PRUNED, forget_plan, list_ages
from planrail.store.runs.run_facts import add_adoption, add_fact, phase_states, read_history
from planrail.store.runs.run_history import EvidenceFact, PhaseFact, RunFact, SpentFact
from planrail.team.pruning import DROP, KEEP, TRIM, WORKING, PlanTraces, decide_prune
from tests.support.lanes import sampled, soak
from tests.support.other_clock import make_clock
from tests.support.run_stage import PLAN, RunStage
from tests.support.worker_stage import Size
from tests.team.conftest import MakeStage

_CHECK = CheckRun("make", "tests", 0, "t" * 40, 0, 1.5, "h", "/o", "fine")
_BEFORE = 50


# ---- what may go ----


@given(st.builds(PlanTraces, st.just("plan"), st.floats(0, 100), *[st.booleans()] * 3), st.floats(0, 100))
def test_only_what_is_old_and_over_goes_and_all_of_it_only_without_a_document(
    traces: PlanTraces, before: float
) -> None:
    decided = decide_prune(traces, before)
    if traces.is_busy or traces.is_open or traces.newest >= before:
        assert decided == KEEP
    else:
        assert decided == (TRIM if traces.has_document else DROP)
    assert decided in (KEEP, decide_prune(traces, before + 1))  # what goes now would have gone later as well


@record
class History:
    """What happened to a plan: the kinds of facts and their times; and how it stands."""

    events: Sequence[tuple[str, int]]
    text: str
    has_document: bool
    is_open: bool
    is_busy: bool


_KINDS = ("approval", "run", "started", "landed", "evidence", "spent", "adoption", "order", "surroundings")
_EVENTS = st.lists(st.tuples(st.sampled_from(_KINDS), st.integers(0, 60)), max_size=12)
_HISTORIES = st.lists(st.builds(History, _EVENTS, st.sampled_from("abc"), *[st.booleans()] * 3), max_size=4)


def _add(ledger: Ledger, plan: str, number: int, kind: str, text: str, at: int) -> None:
    key, run = f"{plan}/{number}", f"run-{number % 3}"
    match kind:
        case "approval":
            ledger.add("approval", plan, {"text": ledger.keep_text(text), "who": "ann"}, at=at)
        case "run":
            add_fact(ledger, plan, RunFact(run, "complete"), key=key, at=at)
        case "started":
            add_fact(ledger, plan, PhaseFact(run, "1", 1, "in_progress"), key=key, at=at)
        case "landed":
            add_fact(ledger, plan, PhaseFact(run, "1", 1, "landed", evidence="e"), key=key, at=at)
        case "evidence":
            add_fact(ledger, plan, EvidenceFact(run, "1", 1, "t", "e", runs=(_CHECK,)), key=key, at=at)
        case "spent":
            add_fact(ledger, plan, SpentFact(run, "1", 1, "implement", 5, 5), key=key, at=at)
        case "adoption":
            add_adoption(ledger, plan, ["1"], "ann", key=key, at=at)
        case _:
            ledger.add(kind, plan, {"run": run, "hash": "h"}, id=f"{kind}:{key}", at=at)


def _answers(ledger: Ledger, plan: str) -> list[object]:
    """What report, status, log, approvals and landings are made of."""
    facts = ledger.facts(plan=plan)
    texts = [ledger.text(str(fact.value["text"])) for fact in facts if fact.kind == "approval"]
    said = make_book([fact for fact in facts if fact.kind != PRUNED])
    known = [repr(read_history(ledger, plan)), repr(phase_states(ledger, plan)), repr(list_events(facts))]
    return [*known, repr((said.history, said.requests)), texts]


@given(_HISTORIES, st.lists(st.integers(0, 70), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_after_any_history_and_any_prunes_everything_that_is_kept_answers_as_before(
    histories: list[History], times: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder, open_folder(folder) as ledger:
        for plan, known in enumerate(histories):
            for number, (kind, at) in enumerate(known.events):
                _add(ledger, str(plan), number, kind, known.text, at)
        answers = {plan: _answers(ledger, str(plan)) for plan in range(len(histories))}
        for before in times:
            for plan, known in enumerate(histories):
                newest, facts = list_ages(ledger).get(str(plan), 0), ledger.facts(plan=str(plan))
                traces = PlanTraces(str(plan), newest, known.is_busy, known.has_document, known.is_open)
                decided = decide_prune(traces, before)
                if decided == KEEP:
                    assert ledger.facts(plan=str(plan)) == facts
                    continue
                assert forget_plan(
                    ledger, str(plan), "ann", 60, before=before, kinds=WORKING if decided == TRIM else ()
                )
                left = {fact.kind for fact in ledger.facts(plan=str(plan))}
                assert left.isdisjoint(WORKING) if decided == TRIM else left <= {PRUNED}
        for plan, known in enumerate(histories):
            is_there = known.is_open or known.is_busy or known.has_document
            if is_there or max((at for _, at in known.events), default=0) >= max(times):
                assert _answers(ledger, str(plan)) == answers[plan]


# ---- whole stories ----


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[RunStage]:
    made = RunStage(tmp_path / "stage", phases=1)
    made.environment["LATER"] = make_clock(tmp_path / "later", 2 * 86_400)
    yield made
    made.kill_everything()


def _look(stage: RunStage) -> list[str]:
    """What people are told, but for the time at which they ask, and for what the newest agent printed."""
    told = [stage.call(*words).out for words in (("report", PLAN), ("status", PLAN), ("log", PLAN, "--all"))]
    told += [stage.call(*words).out for words in (("list", "approvals"), ("show", PLAN, "--json"), ("list", "runs"))]
    lines = [line for text in told for line in text.splitlines() if line]
    return [line for line in lines if "As of:" not in line and "agent wrote" not in line]


def _prune(stage: RunStage, *words: str, **more: str) -> list[tuple[str, str]]:
    """Prune two days later; what went of which plan."""
    path = os.pathsep.join([stage.environment["LATER"], stage.environment["PYTHONPATH"]])
    answer = stage.call("prune", "--json", "--before", "1d", *words, PYTHONPATH=path, **more)
    assert answer.code == 0, answer.err
    return [(one["path"], one["what"]) for one in json.loads(answer.out)["plans"]]


def _list_files(stage: RunStage) -> list[str]:
    """All but what SQLite keeps beside the ledger while it is looked at, and takes away with the next change."""
    found = [path for path in stage.ledger.rglob("*") if path.is_file() and not path.name.startswith("ledger.db-")]
    return sorted(str(path.relative_to(stage.ledger)) for path in found)


def _facts(stage: RunStage) -> list[str]:
    with open_folder(str(stage.ledger)) as ledger:
        return [fact.kind for fact in ledger.facts()]


def test_a_finished_plan_loses_what_was_printed_when_it_is_old_and_answers_as_before(stage: RunStage) -> None:
    assert stage.run().code == 0
    told = _look(stage)
    assert json.loads(stage.call("prune", "--before", "1d", "--json").out)["plans"] == []
    assert "prune" in stage.call("prune", "--before", "soon").err
    assert _prune(stage, "--dry-run") == _prune(stage) == [(PLAN, "trimmed")]
    assert _look(stage) == told
    (folder,) = stage.runs()
    assert {path.name for path in folder.iterdir()} == {"order.json", "plan.md", "journal.jsonl", "ending.json", "lock"}
    assert _facts(stage).count(PRUNED) == 1
    assert _prune(stage) == []  # nothing more, and no further fact


@pytest.mark.full
def test_a_plan_whose_document_is_archived_is_forgotten_whole(stage: RunStage) -> None:
    assert stage.run().code == 0
    stage.git("update-ref", f"refs/planrail/runs/{stage.runs()[0].name}/left/work", "HEAD")
    (stage.root / "plans" / "archive").mkdir()
    stage.git("mv", PLAN, "plans/archive/greeter.md")
    stage.git("commit", "-qm", "Done")
    assert _prune(stage) == [(PLAN, "dropped")]
    assert (stage.runs(), _facts(stage)) == ([], [PRUNED])
    assert stage.git("for-each-ref", "refs/planrail/runs") == ""
    assert "no plan of this project was run" in stage.call("list", "runs").out
    assert stage.git("log", "--format=%(trailers:key=Planrail-Phase,valueonly)").split() == ["1"]  # it has landed


@pytest.mark.full
@pytest.mark.parametrize("branch", sampled(["refs/heads/other", "refs/remotes/origin/other"], "refs/heads/other"))
def test_a_plan_that_another_branch_still_has_keeps_its_proofs(stage: RunStage, branch: str) -> None:
    assert stage.run().code == 0
    stage.git("update-ref", branch, "HEAD")
    stage.git("rm", "-q", PLAN)
    stage.git("commit", "-qm", "Done here")
    assert _prune(stage) == [(PLAN, "trimmed")]
    stage.git("checkout", "-q", branch)
    assert "proven" in stage.call("show", PLAN).out


@pytest.mark.soak
@pytest.mark.parametrize("place", sampled(["moved.md", "branch"], "branch"))
def test_a_plan_with_an_id_is_found_where_it_was_moved_to(stage: RunStage, place: str) -> None:
    stage.write(PLAN, "---\nid: p-123\n---\n" + (stage.root / PLAN).read_text())
    stage.git("commit", "-qam", "Give it an id")
    assert stage.run().code == 0
    if place == "branch":
        stage.git("switch", "-qc", "other")
    stage.git("mv", PLAN, "moved.md")
    stage.git("commit", "-qm", "Move it")
    if place == "branch":
        stage.git("switch", "-q", "main")
        stage.git("rm", "-q", PLAN)
        stage.git("commit", "-qm", "Done here")
    assert _prune(stage) == [(PLAN, "trimmed")]
    stage.git("checkout", "-q", "other" if place == "branch" else "main")
    assert "proven" in stage.call("show", "moved.md").out


@pytest.mark.full
@pytest.mark.parametrize("is_there", sampled([True, False], False))
def test_a_run_that_is_not_over_loses_nothing_whether_its_document_is_there_or_not(
    stage: RunStage, is_there: bool
) -> None:
    assert stage.crash("land.before").was_killed
    if not is_there:
        stage.git("rm", "-q", PLAN)
    before = _list_files(stage), _facts(stage)
    assert _prune(stage) == []
    assert (_list_files(stage), _facts(stage)) == before


@pytest.mark.soak
def test_a_plan_with_phases_left_to_do_loses_nothing(tmp_path: Path) -> None:
    stage = RunStage(tmp_path / "stage", phases=2)
    stage.environment["LATER"] = make_clock(tmp_path / "later", 2 * 86_400)
    assert stage.call("run", PLAN, "1", "auto").code == 0
    before = _list_files(stage), _facts(stage)
    assert _prune(stage) == []
    assert (_list_files(stage), _facts(stage)) == before
    assert stage.run().code == 0


@pytest.mark.full
@pytest.mark.parametrize("point", ["prune.forgotten", "prune.cleared"])
def test_a_prune_that_is_killed_leaves_what_can_be_read_and_the_next_one_ends_it(stage: RunStage, point: str) -> None:
    assert stage.run().code == 0
    stage.git("rm", "-q", PLAN)
    stage.git("commit", "-qm", "Done")
    path = os.pathsep.join([stage.environment["LATER"], stage.environment["PYTHONPATH"]])
    assert stage.call("prune", "--before", "1d", PYTHONPATH=path, **{VARIABLE: point}).was_killed
    for words in (("list", "runs"), ("report",), ("status",), ("list", "approvals"), ("queue",)):
        assert stage.call(*words).code in (0, 1, 2), words
    _prune(stage)
    assert stage.runs() == []
    assert _facts(stage).count(PRUNED) == 1


# ---- what a run keeps that has ended ----


def _list_working(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(("surroundings", "outside", "index-")))


@pytest.mark.full
@pytest.mark.parametrize("point", [soak("end.cleaned"), "ending.written"])
def test_what_only_a_run_that_goes_on_needs_is_there_until_it_has_ended_for_good(stage: RunStage, point: str) -> None:
    assert stage.crash(point).was_killed
    (folder,) = stage.runs()
    assert "surroundings.json" in _list_working(folder)
    assert stage.resume().code == 0  # and nothing is said to have changed
    assert _list_working(folder) == []
    assert [path for path in folder.rglob("*log") if not path.stat().st_size] == []


@pytest.mark.soak
def test_a_plan_whose_run_failed_is_run_again_in_the_same_surroundings(stage: RunStage) -> None:
    text = (stage.root / PLAN).read_text()
    stage.write(PLAN, text.replace('grep -qx "phase 1"', 'grep -qx "another phase"'))
    stage.git("commit", "-qam", "A check that fails")
    assert stage.run().code != 0
    assert _list_working(stage.runs()[0]) == []
    stage.write(PLAN, text)
    stage.git("commit", "-qam", "The check put right")
    assert stage.run().code == 0


# ---- workers ----

_PRUNER = """
from functools import partial
from planrail.cli.team.worker_command import _find_sources
from planrail.team.worker import loop
from planrail.team.worker.logs import Log
from planrail.team.worker.serving import serve
loop._PRUNE_AFTER = 0.0
loop.Worker(_find_sources, partial(serve, turn=600.0), loop.Manners(slots=1), Log()).run()
"""


@pytest.mark.parametrize("has_database", [pytest.param(True, marks=pytest.mark.full), soak(False)])
def test_a_worker_prunes_by_itself_what_is_older_than_the_settings_keep(
    make_stage: MakeStage, tmp_path: Path, request: pytest.FixtureRequest, has_database: bool
) -> None:
    url = request.getfixturevalue("database") if has_database else ""
    stage = make_stage(Size(plans=2, phases=1, repositories=1), url, has_remotes=has_database)
    gone, done = stage.plans
    machine, path = stage.machine("one"), stage.laptop.environment["PYTHONPATH"]
    long_ago = os.pathsep.join([make_clock(tmp_path / "before", -60 * 86_400), path])
    for one in (stage.laptop, machine):
        one.environment["PYTHONPATH"] = long_ago
    stage.submit()
    folder = None if has_database else gone.root
    machine.start_worker("--once", folder=folder).wait()
    stage.wait_until_done()
    for one in (stage.laptop, machine):
        one.environment["PYTHONPATH"] = path
    if has_database:
        stage.git(gone.root, "pull", "-q")
    stage.git(gone.root, "rm", "-q", gone.path)
    stage.git(gone.root, "commit", "-qm", "It is done")
    if has_database:
        stage.git(gone.root, "push", "-q")
        for plan in stage.plans:  # of a run that could not reach the remote at its end
            stage.git(plan.remote, "update-ref", work_ref(plan.path, "run", "1", 1), "main")

    def look() -> list[str]:
        told = [stage.laptop.call(word, done.path, folder=done.root).stdout for word in ("report", "status", "show")]
        return [line for text in told for line in text.splitlines() if "As of:" not in line]

    def kinds(plan: str) -> list[str]:
        return [kind for (kind,) in stage.rows(f"SELECT kind FROM facts WHERE plan = '{plan}' ORDER BY seq")]

    before = look()
    assert len(kinds(gone.path)) > 5
    machine.launch([sys.executable, "-c", _PRUNER], folder)
    stage.wait_for(lambda: kinds(gone.path) == [PRUNED] and PRUNED in kinds(done.path))
    stage.wait_for(lambda: not any("agents" in folders for _, folders, _ in os.walk(stage.place)))
    assert look() == before
    assert "landed" in "".join(before)
    assert not {"order", "surroundings"} & set(kinds(done.path))
    left = [path for path in stage.place.rglob("order.json") if gone.path in path.read_text()]
    assert left == []
    if has_database:
        assert stage.git(gone.remote, "for-each-ref", "refs/planrail/work") == ""
        assert {plan for (plan,) in stage.rows("SELECT plan FROM runs")} == {done.path}
        assert {run for (run,) in stage.rows("SELECT run FROM steps")} == {
            run for (run,) in stage.rows("SELECT run FROM runs")
        }
