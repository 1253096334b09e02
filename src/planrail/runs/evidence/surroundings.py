"""Did what checks depend on, and no commit holds, change while an agent worked? Then they prove nothing. Pure."""

from collections.abc import Mapping

from planrail.base.run_model import Finding
from planrail.git.outside_names import become
from planrail.runs.strength.tree_changes import name_some

BYTECODE = "bytecode"  # of the packages that are looked at: Python writes it whenever it likes, so checks do not use it
BYTECODE_CHANGED = "bytecode_changed"
# Programs that replace themselves with newer ones; no check runs them.
_AGENTS = (
    "claude",
    "codex",
    "gemini",
    "opencode",
    "cursor-agent",
    "@anthropic-ai",
    "@openai",
    "@google",
    "opencode-ai",
)
_ABOUT_FILES = (
    "core.attributesfile",
    "core.excludesfile",
    "core.autocrlf",
    "core.eol",
    "core.symlinks",
    "core.worktree",
)


def is_about_files(setting: str) -> bool:
    """Whether a setting of git says what a file's content is."""
    return setting in _ABOUT_FILES or setting.startswith(("filter.", "extensions."))


def judge_surroundings(before: Mapping[str, str], after: Mapping[str, str]) -> list[Finding]:
    """What follows where they are not the same."""
    if before == after:
        return []
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name, "") != after.get(name, ""))
    changed = [name for name in changed if name != BYTECODE]
    agents = [name for name in changed if name.rpartition("/")[2] in _AGENTS]
    told = {name: f"{name} ({become(before.get(name), after.get(name))})" for name in changed}
    found = []
    if failing := [text for name, text in told.items() if name not in agents]:
        text = (
            f"what checks depend on was changed outside of the work, since the run began: {name_some(failing)}; so they"
        )
        text = f"{text} prove nothing (nothing was undone: put it back, then run the phase again"
        found.append(Finding("surroundings_changed", f"{text}; a new run takes what it finds for granted)"))
    if agents:
        text = f"programs of agents were replaced since the run began: {name_some(told[name] for name in agents)}"
        found.append(Finding("agent_replaced", text, is_failure=False))
    if before.get(BYTECODE, "") != after.get(BYTECODE, ""):
        text = "compiled modules of packages were written since the run began: checks did not use any"
        found.append(Finding(BYTECODE_CHANGED, text, is_failure=False))
    return found
