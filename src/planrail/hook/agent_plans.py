"""The folders in which agents keep the plan files of their own plan modes."""

import os

from planrail.base.decoding import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def plan_folders(agent: str, project: str, home: str, environment: "Mapping[str, str]") -> list[str]:
    """The agent's folders, resolved. A setting counts only where it stays inside the project."""
    if agent == "opencode":
        return [os.path.realpath(f"{project}/.opencode/plans")]
    if agent != "claude":
        return []
    config = environment.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude"
    folders = [os.path.realpath(f"{config}/plans")]
    root = os.path.realpath(project)
    own = f"{project}/.claude/settings"
    for path in (f"{config}/settings.json", f"{own}.json", f"{own}.local.json"):
        try:
            with open(path, encoding="utf-8") as file:
                values = decode(file.read())
        except (OSError, ValueError):
            continue
        setting = values.get("plansDirectory") if isinstance(values, dict) else None
        folder = os.path.realpath(os.path.join(project, setting)) if setting and isinstance(setting, str) else ""
        if folder == root or folder.startswith(f"{root}/"):
            folders.append(folder)
    return folders
