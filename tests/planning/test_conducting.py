"""The conductor keeps its promises whoever answers: order, conversations, fresh critics, failures, interviews."""

from planrail.agents.model import Outcome
from planrail.base.records import replace
from planrail.planning.answers.plan_text import extract_plan
from planrail.planning.conducting import Exhausted, PlanningFinished, PlanningHalted, conduct, revive
from planrail.planning.news import AnswerRefused, PhaseDone
from tests.planning.conducting_fakes import (
    ASKING,
    PLAN,
    PROMISED,
    UNDERSTOOD,
    FakeCrew,
    FakeKeeper,
    good_answer,
    phase_in,
    reply,
    stand_at_start,
)

FAILED = reply("", ok=False, reason="failed", error="it crashed")


def test_a_planning_goes_through_all_phases_in_order_with_one_author_and_critics_who_know_nothing() -> None:
    stand = stand_at_start()
    keeper = FakeKeeper(stand)
    crew = FakeCrew(keeper, good_answer)
    ended = conduct(stand, crew, explorers=1)
    assert isinstance(ended, PlanningFinished)
    assert [phase_in(prompt) for _, _, prompt in crew.prompts] == list(stand.planning.progress.phases)
    assert [news.index for news in keeper.news if isinstance(news, PhaseDone)] == list(range(8))
    assert ended.stand.planning.plan == extract_plan(PROMISED)
    assert keeper.stand == ended.stand
    assert keeper.looks == 8
    said = [conversation for role, conversation, _ in crew.prompts if role == "author"]
    assert said == ["", "c1", "c1", "c1", "c1", "c1"]
    for critique in (prompt for role, _, prompt in crew.prompts if role == "critic"):
        assert PLAN in critique  # a fresh context has seen nothing
        assert UNDERSTOOD not in critique
    (draft,) = [one for one in crew.questions if phase_in(one.prompt) == "draft"]
    assert UNDERSTOOD not in draft.following
    assert UNDERSTOOD in draft.prompt  # for one who does not know the conversation


def test_an_agent_that_fails_stops_the_planning_where_it_stands_and_it_goes_on_there() -> None:
    stand = stand_at_start()
    keeper = FakeKeeper(stand)
    crew = FakeCrew(
        keeper, lambda role, prompt: FAILED if phase_in(prompt) == "alternatives" else good_answer(role, prompt)
    )
    ended = conduct(stand, crew, explorers=1)
    assert isinstance(ended, PlanningHalted)
    assert (ended.role, ended.error) == ("author", "it crashed")
    assert [phase_in(prompt) for _, _, prompt in crew.prompts] == ["understand", "explore", "alternatives"]
    assert keeper.stand.planning.progress.phase == "alternatives"
    assert keeper.stand.planning.progress.attempt == 1  # a failure is no answer
    crew = FakeCrew(keeper, good_answer)
    assert isinstance(conduct(keeper.stand, crew, explorers=1), PlanningFinished)
    assert phase_in(crew.prompts[0][2]) == "alternatives"


def test_a_bad_answer_is_asked_for_again_with_the_reasons_in_the_same_conversation() -> None:
    stand = stand_at_start()
    keeper = FakeKeeper(stand)
    bad = iter(["Sure, here I go!"])
    crew = FakeCrew(
        keeper,
        lambda role, prompt: (
            reply(next(bad), conversation="c1")
            if (phase_in(prompt), "not good" in prompt) == ("understand", False)
            else good_answer(role, prompt)
        ),
    )
    assert isinstance(conduct(stand, crew, explorers=1), PlanningFinished)
    assert crew.prompts[1][1] == "c1"
    assert "The answer says nothing yet" in crew.prompts[1][2]
    assert "not good enough" not in crew.prompts[2][2]  # the next phase begins anew


def test_a_critic_that_has_to_try_again_is_shown_the_plan_again() -> None:
    stand = stand_at_start(rounds=1)
    keeper = FakeKeeper(stand)
    crew = FakeCrew(
        keeper,
        lambda role, prompt: (
            reply("Looks great!") if role == "critic" and "not good" not in prompt else good_answer(role, prompt)
        ),
    )
    assert isinstance(conduct(stand, crew, explorers=1), PlanningFinished)
    first, second = [prompt for role, _, prompt in crew.prompts if role == "critic"]
    assert PLAN in first
    assert PLAN in second


def test_attempts_are_bounded_and_can_be_given_again_by_a_person() -> None:
    stand = stand_at_start(attempts=3)
    keeper = FakeKeeper(stand)
    crew = FakeCrew(keeper, lambda role, prompt: reply("no", conversation="c1"))
    ended = conduct(stand, crew, explorers=1)
    assert isinstance(ended, Exhausted)
    assert len(crew.prompts) == 3
    assert [news.attempts_left for news in keeper.news if isinstance(news, AnswerRefused)] == [2, 1, 0]
    assert ended.stand.problems
    assert isinstance(conduct(revive(keeper.stand), crew, explorers=1), Exhausted)
    assert len(crew.prompts) == 6
    revived = revive(keeper.stand)
    assert isinstance(conduct(revived, FakeCrew(keeper, good_answer), explorers=1), PlanningFinished)


# ---- explorers ----


def test_several_explorers_look_from_different_angles_and_the_author_hears_them() -> None:
    stand = stand_at_start()
    keeper = FakeKeeper(stand)
    crew = FakeCrew(keeper, good_answer)
    assert isinstance(conduct(stand, crew, explorers=3), PlanningFinished)
    sent = [prompt for role, _, prompt in crew.prompts if role == "explorer"]
    assert len(sent) == len(set(sent)) == 3
    told = [prompt for role, _, prompt in crew.prompts if role == "author" and phase_in(prompt) == "alternatives"]
    assert told[0].count("src/greeter.py:3") == 3
    assert (
        "src/greeter.py:3"
        not in next(p for r, _, p in crew.prompts if r == "author" and phase_in(p) == "draft").partition("Example")[0]
    )


def test_a_poor_report_and_a_failed_explorer_are_left_out_with_a_note() -> None:
    stand = stand_at_start()
    keeper = FakeKeeper(stand)

    def answer(role: str, prompt: str) -> Outcome:
        if role == "explorer 1":
            return reply("I looked around; see https://example.org/a/b.py")
        return FAILED if role == "explorer 2" else good_answer(role, prompt)

    ended = conduct(stand, FakeCrew(keeper, answer), explorers=3)
    assert isinstance(ended, PlanningFinished)
    assert [note.partition(" is left out")[0][-1] for note in keeper.notes] == ["1", "2"]
    report = dict(ended.stand.planning.reports)["explore"]
    assert "Explorer 3" in report
    assert "I looked around" not in report


def test_explorers_of_whom_none_answers_stop_the_planning_and_where_all_are_poor_the_author_explores() -> None:
    for poor, is_halted in ((FAILED, True), (reply("nothing"), False)):

        def answer(role: str, prompt: str, poor: Outcome = poor) -> Outcome:
            return poor if role.startswith("explorer") else good_answer(role, prompt)

        stand = stand_at_start()
        crew = FakeCrew(FakeKeeper(stand), answer)
        ended = conduct(stand, crew, explorers=2)
        assert isinstance(ended, PlanningHalted if is_halted else PlanningFinished)
        explorers = [role for role, _, prompt in crew.prompts if phase_in(prompt) == "explore"]
        assert explorers == ["explorer", "explorer", *([] if is_halted else ["author"])]


# ---- interviews ----


def _interviewed(role: str, prompt: str) -> Outcome:
    if phase_in(prompt) == "interview":
        return reply(PLAN if "The person answered" in prompt else ASKING, conversation="c1")
    return good_answer(role, prompt)


def test_an_interview_asks_in_batches_while_something_is_open_and_tells_the_author_the_answers() -> None:
    stand = stand_at_start(interview=True, rounds=1)
    keeper = FakeKeeper(stand)
    plans = iter([ASKING, PLAN.replace("None.", "- And what else?"), PLAN])
    crew = FakeCrew(
        keeper,
        lambda role, prompt: (
            reply(next(plans), conversation="c1") if phase_in(prompt) == "interview" else good_answer(role, prompt)
        ),
        {"Which exit status? (1 / 2)": "2"},
    )
    assert isinstance(conduct(stand, crew, explorers=1), PlanningFinished)
    assert crew.asked == [("Which exit status? (1 / 2)", "Who is told?"), ("And what else?",)]
    told = crew.prompts[1][2]
    assert "Answer: 2" in told
    assert "Who is told?\n  Answer: no answer; decide, and say so" in told


def test_a_person_is_not_asked_twice_when_the_process_dies_after_the_answers() -> None:
    stand = stand_at_start(interview=True, rounds=1)
    keeper = FakeKeeper(stand)
    crew = FakeCrew(
        keeper, lambda role, prompt: FAILED if "The person answered" in prompt else _interviewed(role, prompt)
    )
    assert isinstance(conduct(stand, crew, explorers=1), PlanningHalted)
    again = FakeCrew(keeper, _interviewed)
    assert isinstance(conduct(keeper.stand, again, explorers=1), PlanningFinished)
    assert again.asked == []


def test_without_a_person_the_questions_stay_in_the_plan() -> None:
    stand = stand_at_start(interview=True, rounds=1)
    keeper = FakeKeeper(stand, can_ask=False)
    asking = f"{ASKING}\n<promise>PLAN_OK</promise>\n"
    crew = FakeCrew(
        keeper,
        lambda role, prompt: (
            good_answer(role, prompt)
            if role == "critic"
            else reply(asking if "last round" in prompt else ASKING, conversation="c1")
        ),
    )
    ended = conduct(stand, crew, explorers=1)
    assert isinstance(ended, PlanningFinished)
    assert crew.asked == []
    assert "Which exit status?" in ended.stand.planning.plan


# ---- refining ----


def test_refining_shows_the_plan_and_the_feedback_to_an_author_who_has_seen_nothing() -> None:
    stand = stand_at_start(named=("explore", "draft", "critique", "revise"))
    planning = replace(stand.planning, plan=PLAN, original=PLAN, feedback="Split phase 2.")
    stand = replace(stand, planning=planning)
    keeper = FakeKeeper(stand)
    crew = FakeCrew(keeper, good_answer)
    assert isinstance(conduct(stand, crew, explorers=2), PlanningFinished)
    draft = next(prompt for role, _, prompt in crew.prompts if role == "author")
    assert phase_in(draft) == "draft"
    assert draft.count(PLAN) >= 2  # the format's example, and the plan itself
    assert "Split phase 2." in draft
