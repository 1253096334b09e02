"""Several tasks side by side: some at once, each to its own end; what becomes of one does not stop the others."""

import threading
from collections.abc import Callable, Sequence

from planrail.tasks.stages.asking import Switch
from planrail.tasks.stages.wishes import FAILED, STOPPED, StageEnd

_LONGEST_END = 60.0  # seconds that agents may take to end


def run_all(numbers: Sequence[int], jobs: int, switch: Switch, work: Callable[[int], StageEnd]) -> list[StageEnd]:
    """How each task ended, in the order of the call. An interruption ends all agents, and what has not begun stays."""
    ends: dict[int, StageEnd] = {}
    waiting, lock = list(numbers), threading.Lock()

    def take_turns() -> None:
        while True:
            with lock:
                if not waiting:
                    return
                number = waiting.pop(0)
            try:
                ends[number] = work(number)
            except Exception as error:  # one that fails in a way nobody thought of costs the others nothing
                ends[number] = StageEnd(False, FAILED, f"{type(error).__name__}: {error}", "", task=number)

    threads = [threading.Thread(target=take_turns, daemon=True) for _ in range(min(jobs, len(numbers)))]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        with lock:
            waiting.clear()
        switch.turn_off()
        for thread in threads:
            thread.join(_LONGEST_END)
    return [ends.get(number, _not_begun(number)) for number in numbers]


def _not_begun(number: int) -> StageEnd:
    return StageEnd(False, STOPPED, "stopped before it was begun", f"planrail task show {number}", task=number)
