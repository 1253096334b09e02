"""Outcomes: sentences about a whole phase, and sentences that only sound like one."""

import pytest

from planrail.plans.statements.outcomes import read_outcome


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("All tasks of this phase were completed on 2026-01-02.", "done"),
        ("This phase is complete.", "done"),
        ("Phase 1 is complete.", "done"),
        ("**This phase was completed on March 3.**", "done"),
        ("Completed on 2026-01-02.", "done"),
        ("Everything has been implemented and merged.", "done"),
        ("This phase has been deferred to v2.", "skipped"),
        ("Diese Phase ist abgeschlossen.", "done"),
        ("Toutes les tâches ont été terminées.", "done"),
        ("Esta fase está completada.", "done"),
        ("Todas as tarefas foram concluídas.", "done"),
        ("Эта фаза завершена.", "done"),
        ("该阶段已完成", "done"),
        ("このフェーズは完了しました。", "done"),
        ("이 단계는 완료되었습니다.", "done"),
    ],
)
def test_a_sentence_about_a_whole_phase_states_its_outcome(text: str, state: str) -> None:
    mark = read_outcome(text, "1")
    assert mark is not None
    assert mark.state == state


@pytest.mark.parametrize(
    "text",
    [
        "Phase 2 is complete.",
        "All tests must be completed.",
        "All tasks will be completed by 2026-01-02.",
        "When all tasks are completed, go on.",
        "All tasks are completed when the tests pass.",
        "This phase is not complete.",
        "This is done by the parser.",
        "This task is complete but untested.",
        "Complete the migration.",
        "Done.",
        "本阶段完成后进入下一阶段",
        "",
    ],
)
def test_a_condition_a_plan_or_another_subject_states_nothing(text: str) -> None:
    assert read_outcome(text, "1") is None
