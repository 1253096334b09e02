"""The secret by which the plugin's hooks know that the settings have the same ones.

It stands in the agent's settings as PLANRAIL_DIRECT, and as the name of a file in planrail's state folder, which holds
the folder that it is for. `plugin/hooks/planrail-hook` compares the two.
"""

import secrets
from pathlib import Path

_FOLDER = "direct"


def secret_of(scope: str, state: str) -> str:
    """The secret of a scope, the folder below which it counts; a new one, known to nobody yet, where there is none."""
    found = [path.name for path in _records(state) if _read(path) == scope]
    return found[0] if found else secrets.token_hex(32)


def keep_secret(scope: str, state: str, secret: str) -> None:
    folder = Path(state, _FOLDER)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    record = folder / secret
    record.touch(mode=0o600)
    record.chmod(0o600)
    record.write_text(scope + "\n")


def forget_secret(scope: str, state: str) -> None:
    """From now on the plugin's hooks answer for themselves there."""
    for path in _records(state):
        if _read(path) == scope:
            path.unlink(missing_ok=True)


def _records(state: str) -> list[Path]:
    folder = Path(state, _FOLDER)
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _read(path: Path) -> str:
    return path.read_text(errors="replace").removesuffix("\n") if path.is_file() else ""
