"""Who is at the terminal: decided over given processes, and asked of real ones."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.approval.channels import AGENTS, ChannelRefusal, ProcessFacts, decide_terminal, list_markers, name_agent
from planrail.approval.people.processes import list_by_ps, list_lineage, parse_ps_line
from tests.approval.attacks.desks import Desk, open_desk

_PROBE = """
import os
from planrail.approval.channels import ChannelRefusal
from planrail.approval.people.terminals import open_terminal
terminal = open_terminal(os.environ, os.environ.get("MORE", "").split())
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


def test_a_program_that_the_settings_name_is_an_agent_too() -> None:
    lineage = _lineage("bash", "/opt/house-agent", "bash", "systemd")
    assert decide_terminal(lineage) is None
    assert isinstance(decide_terminal(lineage, ["House-Agent"]), ChannelRefusal)


def test_a_false_name_in_the_arguments_hides_no_program() -> None:
    agent = ProcessFacts(7, 1, "vim", "/usr/local/bin/claude", ("vim",), (), "pts/3", 7)
    assert name_agent(agent) == "claude"


def test_a_deleted_program_keeps_its_name() -> None:
    assert name_agent(ProcessFacts(7, 1, "x", "/usr/local/bin/codex (deleted)", ("x",))) == "codex"


def test_a_mark_in_the_environment_refuses_wherever_it_stands_and_never_helps() -> None:
    for position in range(3):
        lineage = _lineage("bash", "bash", "systemd")
        marked = lineage[position]
        lineage[position] = ProcessFacts(
            marked.pid,
            marked.parent,
            marked.name,
            marked.program,
            marked.arguments,
            ("CLAUDECODE",),
            "pts/3",
            marked.session,
        )
        decision = decide_terminal(lineage)
        assert isinstance(decision, ChannelRefusal)
        assert "CLAUDECODE" in decision.reason


def test_a_process_that_left_the_session_of_its_terminal_is_refused() -> None:
    orphan = ProcessFacts(500, 1, "planrail", "/usr/bin/python3", ("planrail",), (), "pts/3", 420)
    decision = decide_terminal([orphan, ProcessFacts(1, 0, "systemd")])
    assert isinstance(decision, ChannelRefusal)
    assert "belongs to a process that did not start this command" in decision.reason


def test_a_process_whose_session_cannot_be_seen_is_refused() -> None:
    hidden = ProcessFacts(2, 1, "planrail", "/usr/bin/python3", ("planrail",), (), "pts/3", 0)
    assert isinstance(decide_terminal([hidden, ProcessFacts(1, 0, "bwrap")]), ChannelRefusal)


def test_without_a_terminal_nobody_is_asked() -> None:
    assert isinstance(decide_terminal([ProcessFacts(500, 1, "planrail", session=500)]), ChannelRefusal)
    assert isinstance(decide_terminal([]), ChannelRefusal)


@given(st.integers(0, 4), st.sampled_from(sorted(AGENTS)), st.lists(st.sampled_from(["bash", "zsh", "tmux", "sudo"])))
def test_an_agent_at_any_height_is_found(height: int, agent: str, shells: list[str]) -> None:
    commands = [*shells, "systemd"]
    assert decide_terminal(_lineage(*commands)) is None
    commands.insert(min(height, len(shells)), f"/usr/bin/{agent}")
    assert isinstance(decide_terminal(_lineage(*commands)), ChannelRefusal)


def test_every_refusal_says_what_to_do() -> None:
    for lineage in ([], _lineage("claude", "bash"), [ProcessFacts(5, 1, terminal="pts/3", session=9)]):
        decision = decide_terminal(lineage)
        assert isinstance(decision, ChannelRefusal)
        assert "terminal of your own" in decision.remedy


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


def test_a_person_at_a_window_is_asked_and_named(desk: Desk) -> None:
    shown, code = desk.at_window(_probe(desk), [("approve\\? ", "yes\n")])
    assert code == 0
    assert f"who: {desk.user} <lena@example.org>" in shown
    assert "answer: 'yes'" in shown


def test_the_variables_of_a_name_do_not_change_who_it_is(desk: Desk) -> None:
    shown, _ = desk.at_window(_probe(desk), [("approve\\? ", "y\n")], USER="boss", LOGNAME="boss")
    assert f"who: {desk.user} <" in shown


@pytest.mark.full
def test_what_was_typed_before_the_question_is_no_answer(desk: Desk) -> None:
    script = f"printf ready; sleep 1; {shlex.join(_probe(desk))}"
    shown, _ = desk.at_window(["sh", "-c", script], [("ready", "y\n"), ("approve\\? ", "no\n")])
    assert "answer: 'no'" in shown


def test_a_pipe_does_not_answer_for_the_person(desk: Desk) -> None:
    shown, _ = desk.at_window(["sh", "-c", f"yes | {shlex.join(_probe(desk))}"], [("approve\\? ", "no\n")])
    assert "answer: 'no'" in shown


def test_one_key_at_a_terminal_that_was_left_raw_is_no_answer(desk: Desk) -> None:
    script = f"stty raw -echo; {shlex.join(_probe(desk))}"
    shown, _ = desk.at_window(["sh", "-c", script], [("approve\\? ", "y"), ("y", "es\r")])
    assert "answer: 'yes'" in shown


def test_the_end_of_input_is_no_answer(desk: Desk) -> None:
    shown, _ = desk.at_window(_probe(desk), [("approve\\? ", "\x04")])
    assert "answer: ''" in shown


def test_a_window_of_a_person_who_edits_files_about_agents_is_a_persons(desk: Desk) -> None:
    folder = desk.base / "tmp" / "claude" / "codex"
    folder.mkdir(parents=True, exist_ok=True)
    script = f"cd {shlex.quote(str(folder))}; {shlex.join(_probe(desk))}; :"
    shown, _ = desk.at_window(["bash", "-c", script, "claude"], [("approve\\? ", "y\n")])
    assert "answer: 'y'" in shown


def test_a_command_without_a_terminal_is_refused(desk: Desk) -> None:
    done: subprocess.CompletedProcess[str] = desk.run(["setsid", *_probe(desk)])
    assert "refused: there is no terminal here" in done.stdout


@pytest.mark.parametrize("name", ["claude", "codex", "house-agent"])
def test_a_window_inside_an_agent_is_refused(desk: Desk, name: str) -> None:
    agent = desk.programs / name
    if not agent.exists():
        agent.write_bytes(Path("/bin/sh").resolve().read_bytes())
        agent.chmod(0o755)
    shown, _ = desk.at_window([str(agent), "-c", f"{shlex.join(_probe(desk))}; :"], MORE="house-agent")
    assert f"refused: this command was started by an agent ({name}" in shown


def test_a_marked_window_is_refused(desk: Desk) -> None:
    shown, _ = desk.at_window(_probe(desk), CODEX_SANDBOX="seatbelt")
    assert "refused: this command has CODEX_SANDBOX" in shown


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not show environments")
def test_a_mark_above_a_cleaned_environment_is_seen(desk: Desk) -> None:
    script = f"env -i HOME={shlex.quote(str(desk.home))} {shlex.join(_probe(desk))}; :"
    shown, _ = desk.at_window(["sh", "-c", script], GEMINI_CLI="1")
    assert "GEMINI_CLI in its environment" in shown


@pytest.mark.full
def test_an_orphan_that_kept_the_terminal_is_refused(desk: Desk) -> None:
    """The child of an agent that left it by forking twice, in the window where the person started that agent."""
    log = desk.base / "tmp" / "orphan.log"
    script = f'((sleep 0.5; {shlex.join(_probe(desk))} >"$0" 2>&1; mv "$0" "$0.done") &); sleep 4'
    desk.at_window(["sh", "-c", script, str(log)])
    said = Path(f"{log}.done").read_text()
    assert "belongs to a process that did not start this command" in said
