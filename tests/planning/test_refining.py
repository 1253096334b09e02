"""What is finished stays: every revision either has problems, or leaves the finished phases as they were."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from planrail.base.settings import DEFAULT_LINT
from planrail.planning.answers.drift_log import (
    PhaseSpan,
    add_drift_log,
    find_log,
    locate_phases,
)
from planrail.planning.answers.judging import AnswerProblem
from planrail.planning.headless.delivery import describe_changes
from planrail.planning.plan_format import EXAMPLE
from planrail.planning.refining import keep_finished
from planrail.plans.lint.rules import lint
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource, load
from tests.plans.cases import documents
from tests.support.lanes import one_in

_TITLES = ("Read the table", "Write the report", "Cache answers", "Refuse bad names", "Document it", "표를 읽는다")
_BODIES = (
    "",
    "Some words.\n\n",
    "```sh check\nmake test\n```\n\n",
    "#### Notes\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n",
)


def _read(text: str) -> Plan:
    return read(PlanSource("PLAN.md", text))


def _finished(text: str) -> list[PhaseSpan]:
    return [span for span in locate_phases(_read(text), text) if span.status.is_terminal]


def _kept(original: str, revised: str) -> str:
    result = keep_finished(original, revised)
    assert isinstance(result, str), result
    return result


def _rules(result: str | list[AnswerProblem]) -> list[str]:
    assert isinstance(result, list)
    return [problem.rule for problem in result]


def _phase(number: str, title: str, *, done: bool, body: str = "", mark: str = "", level: str = "###") -> str:
    box = "x" if done else " "
    return f"{level} Phase {number}: {title}{mark}\n\n{body}- [{box}] {number}.1 first\n- [{box}] {number}.2 second\n\n"


def _plan(*phases: str, above: str = "", below: str = "## Risks\n\nNone.\n") -> str:
    return f"# A plan\n\n{above}## Goal\n\nReach it.\n\n## Steps\n\n{''.join(phases)}{below}"


ONE = _phase("1", "Read the table", done=True)
TWO = _phase("2", "Write the report", done=True)
THREE = _phase("3", "Cache answers", done=False)


_OTHER = _phase("3", "Cache answers on disk", done=False, body="More.\n\n")


@pytest.mark.parametrize(
    ("original", "revised", "kept"),
    [
        (_plan(ONE, THREE), _plan(ONE.replace("first", "1st").replace("- [x] 1.2 second\n", ""), THREE), ""),
        (_plan(ONE, TWO, THREE), _plan(ONE, THREE), ""),
        (_plan(ONE, TWO, THREE), _plan(TWO, THREE), ""),
        (_plan(ONE, THREE).replace("\n", "\r\n"), _plan(THREE), ""),
        (_plan(ONE, THREE), _plan(ONE, _OTHER), _plan(ONE, _OTHER)),
    ],
    ids=["retyped", "dropped", "dropped first", "line ends", "what is open is revised"],
)
def test_a_finished_phase_that_was_retyped_or_dropped_stands_again_behind_its_predecessor_byte_for_byte(
    original: str, revised: str, kept: str
) -> None:
    assert _kept(original, revised) == (kept or original)


def test_finished_phases_survive_a_revision_without_any_phase() -> None:
    result = _kept(_plan(ONE, TWO), _plan("Nothing is left.\n\n"))
    assert [phase.id for phase in _read(result).phases] == ["1", "2"]


@pytest.mark.parametrize(
    ("revised", "rule"),
    [
        (_plan(_phase("1", "Paint the wall", done=False), THREE), "reused-id"),
        (_plan(_phase("1", "New", done=False), _phase("2", "Read the table", done=True)), "renumbered"),
        (_plan(ONE, THREE, _phase("3", "Again", done=False)), "duplicate-id"),
        (_plan(ONE, THREE.replace("[ ]", "[x]")), "unearned"),
    ],
)
def test_numbers_and_marks_that_a_revision_cannot_give_are_problems(revised: str, rule: str) -> None:
    assert rule in _rules(keep_finished(_plan(ONE, THREE), revised))


def test_the_front_matter_of_the_original_stays_and_none_can_be_forged() -> None:
    front = '---\nid: a1\nstatus: active\ntitle: "x"\n---\n\n'
    forged = "---\nid: zz\napproved: true\nstatus: complete\n---\n\n"
    assert _kept(front + _plan(ONE, THREE), forged + _plan(ONE, THREE)) == front + _plan(ONE, THREE)
    assert _kept(_plan(ONE, THREE), forged + _plan(ONE, THREE)) == _plan(ONE, THREE)


_TABLE = "## Progress\n\n| Phase | Status |\n|---|---|\n"


def test_the_rows_of_finished_phases_stay_in_the_tracker() -> None:
    rows = "| 1 — Read the table | ✅ Done |\n| 2 — Write the report | ✅ |\n| 3 — Cache answers | ⬚ |\n\n"
    original = _plan(ONE, TWO, THREE, above=_TABLE + rows)
    changed = rows.replace("✅ Done", "finished").replace("| 2 — Write the report | ✅ |\n", "")
    assert _kept(original, _plan(ONE, TWO, THREE, above=_TABLE + changed)) == original


def test_a_revision_without_the_tracker_is_handed_back_where_only_the_tracker_said_what_is_finished() -> None:
    bare = [phase.replace("[x]", "[ ]") for phase in (ONE, THREE)]
    original = _plan(*bare, above=_TABLE + "| 1 — Read the table | ✅ |\n| 3 — Cache answers | ⬚ |\n\n")
    assert _rules(keep_finished(original, _plan(*bare))) == ["finished"]


@st.composite
def _originals(draw: DrawFn) -> tuple[str, list[str], str]:
    """A plan with some finished phases, the phases one by one, and what stands above them."""
    count = draw(st.integers(1, 5))
    titles = draw(st.permutations(_TITLES))
    marks = draw(st.sampled_from((("", ""), (" [COMPLETED]", " [NOT STARTED]"), (" ✅", ""), (" (done)", " (todo)"))))
    level = draw(st.sampled_from(("##", "###")))
    phases, rows = [], []
    for number in range(1, count + 1):
        done = draw(st.booleans())
        body, mark = draw(st.sampled_from(_BODIES)), marks[0] if done else marks[1]
        phases.append(_phase(str(number), titles[number - 1], done=done, body=body, mark=mark, level=level))
        rows.append(f"| {number} — {titles[number - 1]} | {'✅ Done' if done else '⬚'} |\n")
    above = _TABLE + "".join(rows) + "\n" if draw(st.booleans()) else ""
    return _plan(*phases, above=above), phases, above


@st.composite
def _revisions(draw: DrawFn, phases: list[str], above: str) -> str:
    """What an agent may make of it: phases dropped, moved, retyped, renamed, renumbered, ticked; rows lost."""
    given = draw(st.lists(st.sampled_from(phases), max_size=6, unique=draw(st.booleans())))
    changes = (
        (r"first", "retyped"),
        (r": .*", ": Something else"),
        (r"Phase (\d)", r"Phase 1\1"),
        (r"\[x\]", "[ ]"),
        (r"\[ \]", "[x]"),
        (r"^###? ", "#### "),
        (r" (?:\[COMPLETED\]|✅|\(done\))", ""),
    )
    texts = []
    for phase in given:
        pattern, new = draw(st.sampled_from((*changes, ("$^", ""), ("$^", ""))))
        texts.append(re.sub(pattern, new, phase, count=draw(st.sampled_from((0, 1)))))
    if draw(st.booleans()):
        texts.insert(
            draw(st.integers(0, len(texts))), draw(st.sampled_from(("```\n", "---\n\n", "<!-- x\n", "| a |\n|---|\n")))
        )
    rows = draw(st.sampled_from((above, "", above.replace("✅ Done", "⬚"), re.sub(r"\| 1 .*\n", "", above))))
    return _plan(*texts, above=rows)


def _texts(span: PhaseSpan) -> list[str]:
    return [stretch.text if stretch else "" for stretch in (span.section, span.row)]


@pytest.mark.full
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_whatever_is_revised_the_finished_phases_are_the_same_bytes_and_read_the_same(data: st.DataObject) -> None:
    original, phases, above = data.draw(_originals())
    result = keep_finished(original, data.draw(_revisions(phases, above)))
    if not isinstance(result, str):
        assert result
        return
    now = {span.id: span for span in _finished(result)}
    for span in _finished(original):
        same = now[span.id]
        assert _texts(same) == _texts(span)
        assert (same.title, same.status) == (span.title, span.status)


@pytest.mark.full
@settings(max_examples=100, deadline=None)
@given(st.data())
def test_an_unchanged_revision_changes_nothing(data: st.DataObject) -> None:
    original, _, _ = data.draw(_originals())
    assert keep_finished(original, original) == original


def _documents() -> list[Path]:
    """Every Markdown document of the grammar's cases, and the plans of others where they are at hand."""
    shared = Path(__file__).parents[3] / "shared"
    others = [*shared.glob("plans/*.md"), *shared.glob("wild_plans/*.md")]
    return [path for path in [*documents(), *sorted(others)] if path.suffix == ".md"]


@pytest.mark.parametrize("path", one_in(4, _documents()), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_plans_of_every_format_keep_what_is_finished(path: Path) -> None:
    original = load(str(path)).text
    spans = _finished(original)
    assert keep_finished(original, original) == original or not spans
    retyped = original
    for stretch in sorted((span.section for span in spans if span.section), key=lambda stretch: -stretch.start):
        heading, end, rest = stretch.text.partition("\n")
        retyped = retyped[: stretch.start] + heading + end + rest.replace("e", "E") + retyped[stretch.end :]
    assert not spans or keep_finished(original, retyped) == original


# ---- the drift log ----


@pytest.mark.parametrize(
    "why",
    [
        "the API moved",
        "a | b \\| c \\\\| d",
        "<!-- x",
        "`src/gone.py` and [x](gone.md)",
        "Phase 1: DONE\n\n## Phase 9",
        "",
    ],
)
def test_a_row_in_the_drift_log_means_nothing_to_the_reader_and_to_lint(why: str) -> None:
    text = add_drift_log(EXAMPLE, "2026-02-03", "added phases 3, 4; Phase 1 done", why)
    assert text.startswith(EXAMPLE)
    before, after = _read(EXAMPLE), _read(text)
    assert [(phase.id, phase.status) for phase in after.phases] == [(phase.id, phase.status) for phase in before.phases]
    assert not after.diagnostics
    problems = lint(PlanSource("PLAN.md", text), after, settings=DEFAULT_LINT, tree=None)
    assert problems == []


def test_rows_are_only_added_to_the_drift_log() -> None:
    text = EXAMPLE
    for number in range(4):
        longer = add_drift_log(text, "2026-02-03", f"change {number}", "why | not")
        assert longer.startswith(text.rstrip("\n"))
        text = longer
    assert text.count("## Drift Log") == 1
    assert len(re.findall(r"^\| 2026", text, re.MULTILINE)) == 4


def test_a_log_of_another_shape_is_left_alone_and_gets_a_table_of_its_own() -> None:
    text = EXAMPLE + "\n## Drift Log\n\n| Source | Landed |\n|---|---|\n| a | b |\n\n## Notes\n\nLast.\n"
    longer = add_drift_log(text, "2026-02-03", "x", "y")
    assert "| a | b |\n\n| Date | What changed | Why |\n|---|---|---|\n| 2026-02-03 | x | y |\n\n## Notes" in longer


@pytest.mark.parametrize("end", ["```sh\nmake", "~~~~\nx\n", "<!-- never closed\n"])
def test_the_log_is_not_swallowed_by_what_is_quoted_and_never_closed(end: str) -> None:
    text = add_drift_log(EXAMPLE + end, "2026-02-03", "x", "y")
    assert text.startswith(EXAMPLE + end)
    assert find_log(text) is not None


def test_a_revision_cannot_rewrite_the_drift_log() -> None:
    original = add_drift_log(_plan(ONE, THREE), "2026-02-03", "added phase 3", "asked for")
    forged = original.replace("asked for", "never")
    assert _kept(original, forged) == original
    assert _kept(original, _plan(ONE, THREE)) == original
    log = find_log(original)
    assert log is not None


def test_changes_are_named_by_phase() -> None:
    after = _plan(
        ONE.replace("Read the table", "Read all tables"), THREE.replace("first", "one"), _phase("4", "New", done=False)
    )
    said = describe_changes(_plan(ONE, TWO, THREE), after)
    assert said.startswith("added phase 4; removed phase 2; changed phases 1, 3 (")


def test_ticking_a_box_is_no_change_and_one_outside_the_phases_is_told() -> None:
    assert describe_changes(_plan(ONE, THREE), _plan(ONE, THREE.replace("[ ]", "[x]"))) == ""
    said = describe_changes(_plan(ONE), _plan(ONE).replace("Reach it.", "Reach that."))
    assert said == "changed text outside the phases (1 line in, 1 out)"
