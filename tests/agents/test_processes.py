"""One agent process: nothing is lost, nothing blocks, nothing is left behind."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from planrail.agents.processes.processes import AgentProcess, Clock, Lines
from planrail.agents.processes.trees import MARK, end_tree, tree

_ENVIRONMENT = {"PATH": os.environ["PATH"]}


def _start(program: str, folder: Path, *, seconds: float = 60, log: str = "") -> AgentProcess:
    return AgentProcess([sys.executable, "-c", program], str(folder), _ENVIRONMENT, Clock(seconds), log)


def test_lines_are_put_together_from_any_chunks() -> None:
    text = b"one\n\ntwo two\nlast"
    for size in range(1, len(text) + 1):
        lines = Lines()
        got = [line for start in range(0, len(text), size) for line in lines.feed(text[start : start + size])]
        assert [*got, lines.rest()] == [b"one", b"", b"two two", b"last"]


@pytest.mark.full
def test_a_line_of_50_mb_arrives_whole(tmp_path: Path) -> None:
    process = _start("import sys; sys.stdout.write('x' * 50_000_000 + '\\nend')", tmp_path)
    assert [len(line) for line in process.lines()] == [50_000_000, 3]
    assert process.end() == 0


def test_all_pipes_can_be_full_at_once(tmp_path: Path) -> None:
    """The process writes much to both streams before it reads; what we say is more than a pipe holds."""
    program = (
        "import sys\n"
        "sys.stderr.write('e' * 1_000_000 + 'END'); sys.stderr.flush()\n"
        "sys.stdout.write('o' * 1_000_000 + '\\n'); sys.stdout.flush()\n"
        "print(len(sys.stdin.read()))\n"
    )
    process = _start(program, tmp_path)
    process.send("i" * 1_000_000)
    process.close_input()
    assert [len(line) for line in process.lines()] == [1_000_000, 7]
    assert process.end() == 0
    assert process.errors.endswith("END")
    assert len(process.errors) < 10_000


def test_a_process_that_does_not_listen_is_no_error(tmp_path: Path) -> None:
    process = _start("import os, time; os.close(0); print('deaf'); time.sleep(0.2)", tmp_path)
    process.send("x" * 1_000_000)
    process.close_input()
    assert list(process.lines()) == [b"deaf"]
    assert process.end() == 0


def test_somebody_who_holds_the_pipe_open_does_not_hold_us(tmp_path: Path) -> None:
    child = "import os, time\nos.fork() or time.sleep(600)\nprint('done', flush=True)\nos._exit(0)"
    process = _start(child, tmp_path)
    assert list(process.lines()) == [b"done"]
    assert process.end() == 0


@pytest.mark.full
@pytest.mark.parametrize("program", ["import time; time.sleep(600)", "while True: print('words')"])
def test_the_time_is_up_even_if_nothing_is_said_or_it_never_stops_talking(tmp_path: Path, program: str) -> None:
    process = _start(program, tmp_path, seconds=0.5)
    for _ in process.lines():
        pass
    assert process.timed_out
    assert process.end() == -signal.SIGTERM


@pytest.mark.full
def test_a_process_that_does_not_leave_after_its_work_is_ended_without_blame(tmp_path: Path) -> None:
    process = _start("import time; print('the answer', flush=True); time.sleep(600)", tmp_path)
    lines = process.lines()
    assert next(lines) == b"the answer"
    process.finish(0.3)
    assert list(lines) == []
    assert not process.timed_out
    process.end()


_DAEMON = """
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with open("daemon.new", "w") as file:
            file.write(str(os.getpid()))
        os.rename("daemon.new", "daemon")
        os.closerange(0, 3)
        time.sleep(600)
    os._exit(0)
os.wait()
while not os.path.exists("daemon"):
    time.sleep(0.01)
print("up", flush=True)
time.sleep(float(sys.argv[1]))
"""


@pytest.mark.full
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="a daemon is known by /proc")
@pytest.mark.parametrize("seconds", ["0", "600"])
def test_a_daemon_is_ended_with_the_agent_that_made_it(tmp_path: Path, seconds: str) -> None:
    process = AgentProcess([sys.executable, "-c", _DAEMON, seconds], str(tmp_path), _ENVIRONMENT, Clock(60))
    assert next(process.lines()) == b"up"
    daemon = int((tmp_path / "daemon").read_text())
    process.stop()
    process.end()
    assert not _lives(daemon)


def test_a_stop_from_another_thread_ends_the_reading(tmp_path: Path) -> None:
    process = _start("import time; print('up', flush=True); time.sleep(600)", tmp_path)
    lines = process.lines()
    assert next(lines) == b"up"
    stopper = threading.Timer(0.2, process.stop)
    stopper.start()
    assert list(lines) == []
    stopper.join()
    assert process.was_stopped
    process.end()


@pytest.mark.full
def test_others_are_left_alone(tmp_path: Path) -> None:
    one, other = (_start("import time; print('up', flush=True); time.sleep(600)", tmp_path) for _ in range(2))
    lines = other.lines()
    assert next(one.lines()) == next(lines) == b"up"
    one.stop()
    one.end()
    assert tree(os.getpid(), "no such mark")
    other.stop()
    assert other.end() == -signal.SIGTERM


def test_we_are_never_part_of_what_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    assert os.getpid() not in {process.pid for process in tree(os.getpid(), "mark")}
    end_tree(2**22 - 3, "no such mark")


def test_the_log_has_all_three_streams_and_the_mark_reaches_the_process(tmp_path: Path) -> None:
    log = tmp_path / "log"
    program = f"import os, sys; print(input(), len(os.environ['{MARK}'])); sys.stderr.write('oh\\n')"
    process = _start(program, tmp_path, log=str(log))
    process.send("hello\n")
    assert list(process.lines()) == [b"hello 32"]
    process.end()
    assert sorted(log.read_text().splitlines()) == ["! oh", "< hello 32", "> hello"]


def test_a_clock_gives_time_back() -> None:
    clock = Clock(10)
    clock.give_back(5)
    assert 14 < clock.left() <= 15


def _lives(pid: int) -> bool:
    time.sleep(0.05)
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
