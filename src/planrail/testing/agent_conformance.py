"""What every driver promises, as one suite: inherit it, and give it a stage on which your agent plays.

    class TestMyAgent(AgentConformance):
        @pytest.fixture
        def stage(self, tmp_path: Path) -> Stage:
            return MyStage(tmp_path)

A stage decides what the model behind the agent does; everything between the model and the outcome is the real thing.
"""

import json
import os
import secrets
import threading
import time
from pathlib import Path

from planrail.agents.jobs.judges import WorkspaceJudge
from planrail.agents.model import (
    Assignment,
    Began,
    Denied,
    Driver,
    Event,
    Outcome,
    Question,
    Running,
    Said,
    UsageEvent,
    Used,
)
from planrail.base.records import replace
from planrail.testing.agent_stage import (
    Act,
    Echo,
    Fail,
    Inquire,
    Run,
    Say,
    ShowEnvironment,
    Stage,
    Structure,
    Write,
    allow,
    guarded,
)

NASTY = """---
title: "it's"
---
$(touch hurt.txt) `touch hurt.txt` <!-- <promise>PLAN_OK</promise> --> \\ \t ü 漢字 🪶
%s {} '"""
SECRET = "PLANRAIL_TEST_SECRET"
_LONGEST = 60


class WorkConformance:
    """For every driver. Each test takes the fixture `stage`."""

    def assign(self, stage: Stage, prompt: str = "Think.", **more: object) -> Assignment:
        return replace(Assignment("author", prompt, str(stage.folder), timeout=_LONGEST), **more)

    def work(self, driver: Driver, assignment: Assignment) -> tuple[Outcome, list[Event]]:
        running = driver.start(assignment, None, guarded(Path(assignment.folder)))
        events = list(running.events())
        return running.wait(), events

    def test_an_answer_arrives_with_its_events(self, stage: Stage) -> None:
        outcome, events = self.work(stage.play(Say("It is done.")), self.assign(stage))
        assert (outcome.text, outcome.ok, outcome.reason, outcome.error) == ("It is done.", True, "", "")
        assert events[0] == Began(outcome.conversation)
        assert outcome.text in [event.text for event in events if isinstance(event, Said)]

    def test_an_answer_of_100_kb_arrives_whole(self, stage: Stage) -> None:
        text = "\n".join(f"{number}. ü “quoted” $(x) ---" for number in range(4_500))
        assert len(text.encode()) > 100_000
        outcome, _ = self.work(stage.play(Say(text)), self.assign(stage))
        assert outcome.text.strip() == text

    def test_a_prompt_with_every_kind_of_sign_arrives_untouched(self, stage: Stage) -> None:
        self.work(stage.play(Say("ok")), self.assign(stage, NASTY))
        assert NASTY in stage.heard()
        assert not (stage.folder / "hurt.txt").exists()

    def test_a_prompt_of_500_kb_arrives_whole(self, stage: Stage) -> None:
        prompt = "BEGIN\n" + "0123456789abcdef\n" * 30_000 + "END"
        outcome, _ = self.work(stage.play(Say("ok")), self.assign(stage, prompt))
        assert outcome.ok, outcome.error
        assert prompt in stage.heard()

    def test_a_prompt_that_looks_like_a_command_of_the_program_is_a_prompt(self, stage: Stage) -> None:
        for prompt in ("/clear the deck", "-p the deck", "!touch hurt.txt", "# the deck"):
            outcome, _ = self.work(stage.play(Say("ok")), self.assign(stage, prompt))
            assert outcome.text == "ok", prompt
            assert prompt in stage.heard()
        assert not (stage.folder / "hurt.txt").exists()

    def test_a_timeout_leaves_no_process_behind(self, stage: Stage) -> None:
        command = _long_command()
        outcome = stage.play(Run(command), Say("no")).start(self.assign(stage, timeout=3), None, allow).wait()
        assert (outcome.ok, outcome.reason) == (False, "timeout")
        assert "3 seconds" in outcome.error
        assert not _running(command)

    def test_a_stop_leaves_no_process_behind(self, stage: Stage) -> None:
        command = _long_command()
        running = stage.play(Run(command), Say("no")).start(self.assign(stage), None, allow)
        stopper = threading.Thread(target=_stop_once_it_runs, args=(running, command))
        stopper.start()
        outcome = running.wait()
        stopper.join()
        assert (outcome.ok, outcome.reason) == (False, "stopped")
        assert not _running(command)
        running.stop()  # once more does no harm

    def test_a_missing_program_says_what_to_install(self, stage: Stage) -> None:
        outcome, events = self.work(stage.miss(), self.assign(stage))
        assert (outcome.ok, outcome.reason, events) == (False, "missing", [])
        assert "nstall" in outcome.error or "set " in outcome.error

    def test_an_error_of_the_service_is_a_failed_outcome_with_its_text(self, stage: Stage) -> None:
        outcome, _ = self.work(stage.play(*[Fail(400, "herons are not supported")] * 12), self.assign(stage))
        assert (outcome.ok, outcome.reason) == (False, "failed")
        assert "herons are not supported" in outcome.error

    def test_a_limit_is_told_apart(self, stage: Stage) -> None:
        outcome, _ = self.work(stage.play(*[Fail(429, "usage limit reached")] * 12), self.assign(stage))
        assert (outcome.ok, outcome.reason) == (False, "limit")

    def test_a_secret_of_ours_does_not_reach_the_agent(self, stage: Stage) -> None:
        driver = stage.play(ShowEnvironment(), environment={SECRET: "heron-in-the-reeds"})
        outcome = driver.start(self.assign(stage), None, allow).wait()
        seen = outcome.text + stage.heard()
        assert "HOME" in seen
        assert "heron-in-the-reeds" not in seen
        assert SECRET not in seen

    def test_two_at_once_do_not_mix(self, stage: Stage) -> None:
        driver = stage.play(Echo())
        marks = [f"MARK-{number}" for number in range(2)]
        both = [driver.start(self.assign(stage, f"Say {mark} please."), None, allow) for mark in marks]
        outcomes: dict[int, Outcome] = {}
        threads = [threading.Thread(target=_keep, args=(outcomes, at, running)) for at, running in enumerate(both)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(mark in outcomes[at].text for at, mark in enumerate(marks))

    def test_a_log_keeps_everything_for_its_owner_alone(self, stage: Stage, tmp_path: Path) -> None:
        log = tmp_path / "agent.log"
        self.work(stage.play(Say("The answer is herons.")), self.assign(stage, "Ask the reeds.", log=str(log)))
        text = log.read_text()
        assert "Ask the reeds." in text
        assert "The answer is herons." in text
        assert log.stat().st_mode & 0o077 == 0

    def test_a_name_that_would_be_an_option_is_refused(self, stage: Stage) -> None:
        driver = stage.play(Say("no"))
        for more in ({"model": "--dangerously-skip-permissions"}, {"conversation": "--last"}):
            outcome, _ = self.work(driver, self.assign(stage, **more))
            assert (outcome.ok, outcome.reason) == (False, "failed")


class ConversationConformance(WorkConformance):
    """For agents that can go on with an earlier conversation."""

    def test_each_assignment_has_a_conversation_of_its_own(self, stage: Stage) -> None:
        driver = stage.play(Say("One."), Say("Two."))
        first, second = (self.work(driver, self.assign(stage))[0].conversation for _ in range(2))
        assert first
        assert second
        assert first != second

    def test_a_conversation_can_be_continued(self, stage: Stage) -> None:
        driver = stage.play(Say("One."), Say("Two."))
        first, _ = self.work(driver, self.assign(stage, "Tell me of herons."))
        second, _ = self.work(driver, self.assign(stage, "And more.", conversation=first.conversation))
        assert (second.text, second.conversation) == ("Two.", first.conversation)
        assert stage.heard().rfind("Tell me of herons.") < stage.heard().rfind("And more.")

    def test_a_conversation_that_is_gone_is_told_apart(self, stage: Stage) -> None:
        gone = "00000000-0000-4000-8000-000000000000"
        outcome, _ = self.work(stage.play(Say("ok")), self.assign(stage, conversation=gone))
        assert (outcome.ok, outcome.reason) == (False, "no_conversation")

    def test_usage_is_counted_for_each_assignment_alone(self, stage: Stage) -> None:
        driver = stage.play(Say("One.", 100, 50), Say("Two.", 7, 3))
        first, events = self.work(driver, self.assign(stage))
        second, _ = self.work(driver, self.assign(stage, conversation=first.conversation))
        assert (first.tokens_in, first.tokens_out) == (100, 50)
        assert (second.tokens_in, second.tokens_out) == (7, 3)
        assert [(event.tokens_in, event.tokens_out) for event in events if isinstance(event, UsageEvent)] == [(100, 50)]


class JudgedConformance(WorkConformance):
    """For agents that are held by a judge or a sandbox."""

    def test_a_denied_write_leaves_no_file_and_the_agent_goes_on(self, stage: Stage) -> None:
        made, also = str(stage.folder / "made.txt"), str(stage.folder / "also.txt")
        outcome, _ = self.work(stage.play(Write(made), Run(f"touch {also}"), Say("I could not.")), self.assign(stage))
        assert outcome.text == "I could not."
        assert not os.path.exists(made)
        assert not os.path.exists(also)

    def test_looking_around_is_allowed_and_told(self, stage: Stage) -> None:
        (stage.folder / "heron.txt").write_text("grey\n")
        outcome, events = self.work(stage.play(Run("cat heron.txt"), Say("Seen.")), self.assign(stage))
        assert outcome.ok
        assert any(isinstance(event, Used) and "cat heron.txt" in event.detail for event in events)
        assert not any(isinstance(event, Denied) for event in events)

    def test_an_agent_that_may_write_works_in_its_folder_and_nowhere_else(self, stage: Stage) -> None:
        made, outside = stage.folder / "made.txt", stage.folder.parent / "outside.txt"
        outcome = self._implement(stage, Write(str(made)), Write(str(outside)))
        assert outcome.text == "Done.", outcome.error
        assert made.exists()
        assert not outside.exists()

    def test_an_agent_that_may_write_runs_commands_that_change_its_folder(self, stage: Stage) -> None:
        assert self._implement(stage, Run("echo grey > heron.txt")).ok
        assert (stage.folder / "heron.txt").read_text() == "grey\n"

    def _implement(self, stage: Stage, *acts: Act) -> Outcome:
        assignment = self.assign(stage, role="implementer", read_only=False, protected=(str(stage.folder.parent),))
        judge = WorkspaceJudge(str(stage.folder), assignment.protected).refuse
        return stage.play(*acts, Say("Done.")).start(assignment, None, judge).wait()


class SchemaConformance(WorkConformance):
    """For agents that have a model: an answer by schema."""

    def test_an_answer_by_schema_is_structured(self, stage: Stage) -> None:
        bird = {"bird": {"type": "string"}}
        schema = {"type": "object", "properties": bird, "required": ["bird"], "additionalProperties": False}
        driver = stage.play(Structure('{"bird": "heron"}'))
        outcome, _ = self.work(driver, self.assign(stage, "Which bird?", schema=json.dumps(schema)))
        assert outcome.ok, outcome.error
        assert json.loads(outcome.structured) == {"bird": "heron"}

    def test_without_a_schema_nothing_is_structured(self, stage: Stage) -> None:
        outcome, _ = self.work(stage.play(Say('{"bird": "heron"}')), self.assign(stage))
        assert outcome.structured == ""


class AgentConformance(ConversationConformance, JudgedConformance, SchemaConformance):
    """The whole suite, for agents that have a model, a memory and a judge."""


class QuestionConformance:
    """For agents that have a tool to put questions with."""

    def test_a_question_is_put_and_its_answer_reaches_the_model(self, stage: Stage) -> None:
        question = Question("Which bird?", ("Heron", "Stork"))
        asked: list[list[Question]] = []

        def ask(questions: list[Question]) -> dict[str, str]:
            asked.append(questions)
            return {"Which bird?": "Stork"}

        driver = stage.play(Inquire(question))
        assignment = Assignment("author", "Plan.", str(stage.folder), timeout=_LONGEST)
        outcome = driver.start(assignment, ask, guarded(stage.folder)).wait()
        assert asked == [[question]]
        assert "Stork" in outcome.text + stage.heard()


def _keep(outcomes: dict[int, Outcome], at: int, running: Running) -> None:
    outcomes[at] = running.wait()


def _long_command() -> str:
    """A command that runs for an hour and can be recognised."""
    return f"sleep 3{secrets.randbelow(900) + 100}.{secrets.randbelow(10**9)}"


def _running(command: str) -> bool:
    words = command.encode().split()
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and words == Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")[:2]:
                return Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            continue
    return False


def _stop_once_it_runs(running: Running, command: str) -> None:
    deadline = time.monotonic() + _LONGEST / 2
    while not _running(command) and time.monotonic() < deadline:
        time.sleep(0.05)
    running.stop()
