"""opencode's plugin file, run by node with a scripted hook and a scripted opencode."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from planrail.install.targets import InstallPlace, make_target, wrapper_path
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")

_DRIVER = """
import { Planrail } from "./planrail.mjs"
const toasts = []
const client = {
  tui: { showToast: async ({ body }) => toasts.push(body.message) },
  session: {
    get: async ({ path }) => ({ data: { parentID: path.id === "child" ? "main" : undefined } }),
    messages: async () => ({ data: [
      { info: { role: "assistant" }, parts: [{ type: "text", text: "Not yet." }] },
      { info: { role: "assistant" }, parts: [{ type: "tool" }, { type: "text", text: "All done." }] },
      { info: { role: "user" }, parts: [{ type: "text", text: "thanks" }] },
    ] }),
  },
}
const hooks = await Planrail({ client, directory: process.cwd() })
const [name, session, value] = JSON.parse(process.argv[2])
const output = { args: { filePath: "a.txt" }, parts: [{ type: "text", text: value }], output: value }
let thrown = null
try {
  const event = { type: value, properties: { sessionID: session } }
  await hooks[name]?.(name === "event" ? { event } : { sessionID: session, tool: "write", args: {} }, output)
} catch (error) {
  thrown = error.message
}
console.log(JSON.stringify({ thrown, toasts, text: output.parts[0].text, hooks: Object.keys(hooks) }))
"""


class Opencode:
    """One event at a time, with the hook that a test has scripted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        (folder / "driver.mjs").write_text(_DRIVER)
        text = make_target("opencode", InstallPlace(str(folder)), {}).text
        self.wrapper = folder / "the hook"
        (folder / "planrail.mjs").write_text(text.replace(wrapper_path(), str(self.wrapper)))

    def script(self, text: str) -> None:
        """What the hook does; what it is told lies in `told` afterwards."""
        self.wrapper.write_text(f'cat > told; echo "$@" > called\n{text}\n')

    def protect(self, session: str) -> None:
        """planrail keeps a file for this session."""
        (self.state / "sessions/opencode").mkdir(parents=True)
        (self.state / f"sessions/opencode/{session}.json").write_text("{}")

    def send(self, name: str, session: str = "main", value: str = "hello", **more: str) -> dict[str, object]:
        """What became of an event."""
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.folder / "home"),
            "PLANRAIL_STATE_DIR": str(self.state),
            **more,
        }
        done = subprocess.run(
            ["node", "driver.mjs", json.dumps([name, session, value])],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        answer: dict[str, object] = json.loads(done.stdout)
        return answer

    def told(self) -> dict[str, object]:
        """The JSON that the hook was given."""
        told: dict[str, object] = json.loads((self.folder / "told").read_text())
        return told


@pytest.fixture
def opencode(tmp_path: Path) -> Opencode:
    """An opencode with a hook that has nothing to say."""
    agent = Opencode(tmp_path)
    agent.script("exit 0")
    return agent


def test_a_tool_that_the_hook_denies_is_not_used(opencode: Opencode) -> None:
    opencode.script("""echo '{"decision":"deny","reason":"you plan"}'""")
    assert opencode.send("tool.execute.before")["thrown"] == "you plan"
    opencode.script("echo no >&2; exit 2")
    assert opencode.send("tool.execute.before")["thrown"] == "no"


def test_a_tool_passes_when_the_hook_has_nothing_to_say(opencode: Opencode) -> None:
    answer = opencode.send("tool.execute.before")
    assert (answer["thrown"], answer["toasts"]) == (None, [])
    assert opencode.told() | {"cwd": ""} == {
        "hook_event_name": "tool.execute.before",
        "session_id": "main",
        "cwd": "",
        "tool_name": "write",
        "tool_input": {"filePath": "a.txt"},
    }
    assert (opencode.folder / "called").read_text() == "opencode tool.execute.before\n"


@pytest.mark.parametrize("broken", ["exit 1", "echo not json", "kill -9 $$"])
def test_a_broken_hook_is_a_message_and_denies_in_a_session_that_is_protected(opencode: Opencode, broken: str) -> None:
    opencode.script(broken)
    answer = opencode.send("tool.execute.before")
    assert answer["thrown"] is None
    assert "planrail doctor" in str(answer["toasts"])
    opencode.protect("main")
    assert "planrail doctor" in str(opencode.send("tool.execute.before")["thrown"])


def test_a_sub_agent_is_held_to_the_rules_of_its_parent_and_is_no_person(opencode: Opencode) -> None:
    opencode.send("chat.message", session="child", value="/plan x")
    opencode.send("tool.execute.after")  # it costs nothing where nothing is protected
    assert not (opencode.folder / "told").exists()
    opencode.send("tool.execute.before", session="child")
    assert opencode.told()["session_id"] == "main"


def test_what_the_agent_shall_know_follows_what_was_typed_which_keeps_its_quotes(opencode: Opencode) -> None:
    assert opencode.send("chat.message", value='"approve the plan"')["text"] == '"approve the plan"'
    opencode.script("""echo '{"context":"a plan is attached"}'""")
    assert opencode.send("chat.message")["text"] == "hello\n\n<planrail>\na plan is attached\n</planrail>"


@pytest.mark.parametrize(
    ("typed", "prompt"),
    [
        (r'"/plan say \"hello\" once"', '/plan say "hello" once'),
        ('"the first\nand the /plan second"', "the first\nand the /plan second"),
        ('"plan" and "reload"', '"plan" and "reload"'),
        ('"plan', '"plan'),
        (r'"plan \"', "plan \\"),
    ],
)
def test_only_quotes_that_opencode_puts_around_the_whole_prompt_are_taken_off(
    opencode: Opencode, typed: str, prompt: str
) -> None:
    opencode.send("chat.message", value=typed)
    assert opencode.told()["prompt"] == prompt


def test_it_leaves_the_answers_to_the_users_own_copy_and_does_nothing_once_planrail_is_removed(
    opencode: Opencode,
) -> None:
    text = (opencode.folder / "planrail.mjs").read_text()
    for place in ("home/.config", "config"):
        (opencode.folder / place / "opencode/plugins").mkdir(parents=True)
    (opencode.folder / "config/opencode/plugins/planrail.js").write_text(text)  # among the project's files
    assert opencode.send("tool.execute.before", XDG_CONFIG_HOME=str(opencode.folder / "config"))["hooks"] != []
    own = opencode.folder / "home/.config/opencode/plugins/planrail.js"
    own.write_text("// somebody else's\n")
    assert opencode.send("tool.execute.before")["hooks"] != []
    own.write_text(text)
    assert opencode.send("tool.execute.before")["hooks"] == []
    own.unlink()
    opencode.wrapper.unlink()
    assert opencode.send("tool.execute.before")["hooks"] == []


def test_the_end_of_a_turn_is_told_with_the_agents_last_words_and_the_answer_is_shown(opencode: Opencode) -> None:
    opencode.protect("main")
    opencode.script("""echo '{"message":"planrail: phase 1 is NOT done"}'""")
    assert opencode.send("event", value="session.idle")["toasts"] == ["planrail: phase 1 is NOT done"]
    assert opencode.told()["last_assistant_message"] == "All done."
