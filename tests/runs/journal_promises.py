"""What a journal promises, wherever it is kept: the tests of the file and of the rows inherit these."""

import threading
from collections.abc import Callable

import pytest

from planrail.ask.durable import Durable
from planrail.base.errors import ToolFailed
from planrail.base.run_model import Ending, Snapshot
from planrail.store.journal import Journal

Reopen = Callable[[], Journal]  # or another one that is used in the same way


def count_up(counts: dict[str, int], name: str, result: object) -> object:
    """A step that can be counted."""
    counts[name] = counts.get(name, 0) + 1
    return result


class JournalPromises:
    """For a class with a fixture `reopen`, which opens the same journal each time."""

    def test_a_step_that_has_ended_is_not_done_again(self, reopen: Reopen) -> None:
        counts: dict[str, int] = {}
        seen: list[tuple[str, str, object]] = []
        ending = Ending("x", "y", "z")
        for _ in range(3):
            journal = reopen()
            watched = Durable(journal, lambda key, state, result: seen.append((key, state, result)))
            assert watched.do("phase/1/1/a", count_up, counts, "a", ending) == ending
            journal.close()
        assert counts == {"a": 1}
        assert seen == [("phase/1/1/a", "begun", None), ("phase/1/1/a", "ended", ending)]

    def test_a_step_that_fails_is_done_again(self, reopen: Reopen) -> None:
        journal = reopen()
        with pytest.raises(ZeroDivisionError):
            Durable(journal).do("a", lambda: 1 // 0)
        journal.close()
        assert Durable(reopen()).do("a", lambda: 7) == 7

    def test_steps_are_kept_in_their_order_with_their_results(self, reopen: Reopen) -> None:
        journal = reopen()
        results = {
            "turn/1/choose": ("1",),
            "phase/ü/1/x": Snapshot("c", "t", "b", ("é\udcff.txt",)),
            "phase/\udcff/1/end": None,
            "phase/a\\b/1/end": 1.5,
            "phase/\\udcff/1/end": "",
            "a 'b' \"c\" %s ?\n/1/end": 7,
        }
        for key, result in results.items():
            journal.begin(key)
            journal.end(key, result)
        again = reopen()
        assert again.keys() == list(results)
        assert [again.result(key) for key in results] == list(results.values())
        with pytest.raises(TypeError):
            again.end("no value", object())
        again.close()
        with pytest.raises(ToolFailed):
            again.end("after its end", 1)
        assert reopen().keys() == list(results)

    def test_only_what_this_process_saw_end_is_its_own(self, reopen: Reopen) -> None:
        journal = reopen()
        journal.end("a", 1)
        assert journal.is_ours("a")
        again = reopen()
        assert again.has("a")
        assert not again.is_ours("a")
        assert not again.has("b")

    def test_a_proof_of_a_dead_planrail_is_done_again_and_is_ours_then(self, reopen: Reopen) -> None:
        counts: dict[str, int] = {}
        for _ in range(2):
            journal = reopen()
            for _ in range(2):
                Durable(journal).do("phase/1/1/prove.1", count_up, counts, "a", 1)
            journal.close()
        assert counts == {"a": 2}

    def test_the_first_word_on_a_step_counts_for_those_who_come_later(self, reopen: Reopen) -> None:
        reopen().end("a", 1)
        second = reopen()
        second.end("a", 2)
        assert second.result("a") == 2
        assert reopen().result("a") == 1

    def test_many_threads_write_into_one_journal(self, reopen: Reopen) -> None:
        journal = reopen()

        def work(number: int) -> None:
            for step in range(5):
                journal.begin(f"phase/{number}/1/{step}")
                journal.end(f"phase/{number}/1/{step}", step)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(reopen().keys()) == sorted(f"phase/{n}/1/{s}" for n in range(6) for s in range(5))
