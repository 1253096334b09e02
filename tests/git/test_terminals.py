"""Who is at the terminal: decided over given processes, and asked of real ones."""

import shlex
import sys
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.approval.channels import AGENTS, ChannelRefusal, ProcessFacts, decide_terminal, list_markers, name_agent
from planrail.approval.people.terminals import list_by_ps, list_lineage, parse_ps_line
from planrail.base.records import replace
from tests.approval.attacks.desks import Desk, open_desk

_PROBE = """
import os
from planrail.approval.channels import ChannelRefusal
from planrail.approval.people.terminals import open_terminal
terminal = open_terminal(os.environ, [])
if isinstance(terminal, ChannelRefusal):
    print("refused:", terminal.reason)
else:
    with terminal:
        print("who:", terminal.who)
        print("answer:", repr(terminal.ask("approve? ")))
"""


def _lineage(*commands: str) -> list[ProcessFacts]:
    """planrail at a terminal, below these commands, the nearest first; the last but one leads the session."""
    pids = range(500, 500 - 10 * (len(commands) + 1), -10)
    leader = pids[max(len(commands) - 1, 0)]
    found = [ProcessFacts(500, 490, "planrail", "/usr/bin/python3.12", ("planrail", "approve"), (), "pts/3", leader)]
    for pid, command in zip(pids[1:], commands, strict=True):
        words = tuple(command.split())
        found.append(
            ProcessFacts(pid, pid - 10, words[0].rsplit("/", 1)[-1][:15], words[0], words, (), "pts/3", leader)
        )
    return found


@pytest.mark.parametrize(
    "command",
    [
        "claude",
        "/usr/local/bin/claude --continue",
        "/home/lena/.local/share/claude/versions/2.1.325",
        "/opt/x/node_modules/@anthropic-ai/claude-code-linux-x64/claude.exe",
        "node /opt/x/node_modules/@anthropic-ai/claude-code/cli.js",
        "node --max-old-space-size=4096 /usr/lib/node_modules/@openai/codex/bin/codex.js exec",
        "node -r dotenv/config /usr/bin/gemini",
        "bun run /srv/opencode-ai/bin/opencode",
        "bun /usr/bin/opencode",
        "python3.12 -m aider",
        "/usr/bin/python3 /home/lena/.local/bin/aider --yes",
        "sh /usr/local/bin/claude",
        "codex resume",
        "cursor-agent",
        "kiro-cli-chat",
        "python3 -m planrail plan add-herons",
        "/usr/bin/planrail refine plans/a.md",
    ],
)
def test_an_agent_is_known_by_its_program_its_package_or_its_script(command: str) -> None:
    decision = decide_terminal(_lineage("bash", command, "bash", "sshd"))
    assert isinstance(decision, ChannelRefusal)
    assert "started by an agent" in decision.reason


@pytest.mark.parametrize(
    "command",
    [
        "vim claude.md",
        "less /home/lena/claude/codex",
        "tmux new -s claude",
        "bash -lc cat claude",
        "zsh -c codex/run-tests",
        "node /home/lena/claude/server.js",
        "node -e codex",
        "/usr/share/code/code /home/lena/opencode",
        "make claude",
        "sshd: claude@pts/3",
        "python3 /home/lena/gemini/tools/build.py codex",
        "sudo -u lena bash",
        "planrail show claude",
        "git commit -m codex",
        "/home/codex/bin/fish",
    ],
)
def test_a_person_is_not_taken_for_an_agent_for_a_word_in_a_path_or_an_argument(command: str) -> None:
    assert decide_terminal(_lineage("bash", command, "bash", "systemd")) is None


@pytest.mark.parametrize(
    "above",
    [
        ("-zsh", "tmux: server", "systemd"),
        ("-bash", "sshd: lena@pts/3", "sshd: lena [priv]", "/usr/sbin/sshd -D", "systemd"),
        ("/usr/bin/zsh", "/usr/share/code/code --type=utility", "/usr/share/code/code", "gnome-shell", "systemd"),
        ("bash", "sudo planrail approve", "bash", "gnome-terminal-server", "systemd"),
        ("bash", "script -q log", "bash", "xterm", "systemd"),
    ],
)
def test_a_person_is_accepted_wherever_shells_run(above: tuple[str, ...]) -> None:
    assert decide_terminal(_lineage(*above)) is None


def test_an_agent_is_one_by_the_settings_too_and_no_false_name_hides_it() -> None:
    lineage = _lineage("bash", "/opt/house-agent", "bash", "systemd")
    assert decide_terminal(lineage) is None
    assert isinstance(decide_terminal(lineage, ["House-Agent"]), ChannelRefusal)
    assert name_agent(ProcessFacts(7, 1, "vim", "/usr/local/bin/claude", ("vim",), (), "pts/3", 7)) == "claude"
    assert name_agent(ProcessFacts(7, 1, "x", "/usr/local/bin/codex (deleted)", ("x",))) == "codex"


def test_a_mark_in_the_environment_refuses_wherever_it_stands_and_never_helps() -> None:
    for position in range(3):
        lineage = _lineage("bash", "bash", "systemd")
        lineage[position] = replace(lineage[position], markers=("CLAUDECODE",))
        decision = decide_terminal(lineage)
        assert isinstance(decision, ChannelRefusal)
        assert "CLAUDECODE" in decision.reason


def test_who_left_the_session_of_its_terminal_or_has_none_is_refused_and_told_what_to_do() -> None:
    orphan = ProcessFacts(500, 1, "planrail", "/usr/bin/python3", ("planrail",), (), "pts/3", 420)
    hidden = ProcessFacts(2, 1, "planrail", "/usr/bin/python3", ("planrail",), (), "pts/3", 0)
    init, alone = ProcessFacts(1, 0, "systemd"), ProcessFacts(500, 1, "planrail", session=500)
    for lineage in ([orphan, init], [hidden, init], [alone], [], _lineage("claude", "bash")):
        decision = decide_terminal(lineage)
        assert isinstance(decision, ChannelRefusal)
        assert "terminal of your own" in decision.remedy
        if orphan in lineage:
            assert "belongs to a process that did not start this command" in decision.reason


@given(st.integers(0, 4), st.sampled_from(sorted(AGENTS)), st.lists(st.sampled_from(["bash", "zsh", "tmux", "sudo"])))
def test_an_agent_at_any_height_is_found(height: int, agent: str, shells: list[str]) -> None:
    commands = [*shells, "systemd"]
    assert decide_terminal(_lineage(*commands)) is None
    commands.insert(min(height, len(shells)), f"/usr/bin/{agent}")
    assert isinstance(decide_terminal(_lineage(*commands)), ChannelRefusal)


def test_variables_that_agents_set_are_told_from_others() -> None:
    names = ["PATH", "CLAUDECODE", "CODEX_SANDBOX_NETWORK_DISABLED", "CLAUDE_CONFIG_DIR", "OPENCODE_CONFIG", "EDITOR"]
    assert list_markers(names) == ("CLAUDECODE", "CODEX_SANDBOX_NETWORK_DISABLED")


def test_the_lineage_leads_from_this_process_to_the_first() -> None:
    lineage = list_lineage()
    assert lineage[0].program.rsplit("/", 1)[-1].startswith("python")
    assert all(child.parent == parent.pid for child, parent in pairwise(lineage))
    assert lineage[-1].parent == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the two ways are compared where both are there")
def test_ps_and_proc_tell_the_same_of_the_ancestors() -> None:
    shown = list_by_ps()
    if not shown:
        pytest.skip("ps is not here")
    for facts in list_lineage():
        assert shown[facts.pid].parent == facts.parent
        assert shown[facts.pid].terminal == facts.terminal


def test_a_line_of_ps_may_hold_a_path_with_spaces() -> None:
    facts = parse_ps_line("  71    1 ttys003  /Applications/My Tools/claude")
    assert facts is not None
    assert (facts.pid, facts.parent, facts.terminal, name_agent(facts)) == (71, 1, "ttys003", "claude")
    daemon = parse_ps_line("    1     0 ??       /sbin/launchd")
    assert daemon is not None
    assert daemon.terminal == ""
    assert parse_ps_line("PID PPID TTY COMMAND") is None


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with open_desk() as made:
        (made.programs / "probe.py").write_text(_PROBE)
        yield made


def _probe(desk: Desk) -> list[str]:
    return [desk.python, str(desk.programs / "probe.py")]


def test_a_person_at_a_window_is_asked_and_named_whatever_the_variables_say(desk: Desk) -> None:
    shown, code = desk.at_window(_probe(desk), [("approve\\? ", "yes\n")], USER="boss", LOGNAME="boss")
    assert code == 0
    assert f"who: {desk.user} <lena@example.org>" in shown
    assert "answer: 'yes'" in shown


@pytest.mark.full
def test_what_was_typed_before_the_question_is_no_answer(desk: Desk) -> None:
    script = f"printf ready; sleep 1; yes | {shlex.join(_probe(desk))}"  # a pipe does not answer either
    shown, _ = desk.at_window(["sh", "-c", script], [("ready", "y\n"), ("approve\\? ", "no\n")])
    assert "answer: 'no'" in shown


def test_one_key_at_a_terminal_that_was_left_raw_is_no_answer(desk: Desk) -> None:
    script = f"stty raw -echo; {shlex.join(_probe(desk))}"
    shown, _ = desk.at_window(["sh", "-c", script], [("approve\\? ", "y"), ("y", "es\r")])
    assert "answer: 'yes'" in shown


def test_the_end_of_input_is_no_answer(desk: Desk) -> None:
    shown, _ = desk.at_window(_probe(desk), [("approve\\? ", "\x04")])
    assert "answer: ''" in shown
