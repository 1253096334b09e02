"""The promises of a run that was killed: each phase landed once, nothing of the user's changed, nothing is left."""

from planrail.store.fact_rows import open_folder
from planrail.store.runs.run_folders import load_ending
from tests.support.run_stage import RunStage, expected_starts
from tests.support.run_traces import find_leftovers, read_contents, read_landed


class Promise:
    """A stage with a person's work in it, as it is before the run."""

    def __init__(self, stage: RunStage) -> None:
        self.stage = stage
        stage.leave_work_lying_around()
        self._work = stage.look_at_work()

    def is_kept(self) -> None:
        """All of it, where no agent was killed."""
        self.is_kept_in_any_order()
        assert read_landed(self.stage) == self._numbers()
        assert self.stage.count_starts() == expected_starts(self.stage.phases)

    def is_kept_in_any_order(self) -> None:
        """The same, for phases that ran side by side."""
        self.is_kept_but_for_starts()
        assert sorted(self.stage.count_starts()) == sorted(expected_starts(self.stage.phases))
        assert {number: len(found) for number, found in self.attempts().items()} == dict.fromkeys(self._numbers(), 1)

    def is_kept_but_for_starts(self) -> None:
        """All of it but for the number of attempts; an agent that was started again was counted as another attempt."""
        self.is_landed()
        self.starts_are_counted()
        assert find_leftovers(self.stage) == []

    def is_kept_but_for_refs(self) -> None:
        """All of it but for the snapshots of a run that failed or was stopped, which are kept."""
        self.is_landed()
        names = self.stage.git("for-each-ref", "--format=%(refname)").split()
        kept = [name for name in names if name.startswith("refs/planrail/")]
        assert find_leftovers(self.stage, refs=("refs/heads/main", *kept)) == []

    def is_landed(self) -> None:
        """Every phase landed once, and nothing of the person's work was touched."""
        stage = self.stage
        assert sorted(read_landed(stage)) == self._numbers()
        assert read_contents(stage) == {f"phase-{number}.txt": f"phase {number}\n" for number in self._numbers()}
        assert "Status: complete" in stage.git("show", "main:plans/greeter.md")
        self.work_is_unchanged()

    def work_is_unchanged(self) -> None:
        """What the person had in hand."""
        assert self.stage.look_at_work() == self._work

    def starts_are_counted(self) -> None:
        """No attempt had two agents."""
        begun = self.stage.count_starts()
        for number, attempts in self.attempts().items():
            assert begun.count(number) <= len(attempts)
            assert begun.count(f"fix-{number}") <= len(attempts)

    def attempts(self) -> dict[str, set[tuple[str, int]]]:
        """The attempts of each phase, by the ledger: each has its run and its number."""
        found: dict[str, set[tuple[str, int]]] = {}
        with open_folder(str(self.stage.ledger)) as ledger:
            for fact in ledger.facts("phase"):
                told = (str(fact.value["run"]), int(str(fact.value["attempt"])))
                found.setdefault(str(fact.value["phase"]), set()).add(told)
        return found

    def _numbers(self) -> list[str]:
        return [str(number) for number in range(1, self.stage.phases + 1)]


def resume_to_the_end(stage: RunStage) -> None:
    """Go on with a run that was killed; one that had ended before it was killed needs no resuming."""
    answer = stage.resume()
    endings = [load_ending(str(folder)) for folder in stage.runs()]
    is_complete = {ending and ending.state for ending in endings} == {"complete"}
    assert answer.code == 0 or is_complete, f"{answer}\n{endings}"
