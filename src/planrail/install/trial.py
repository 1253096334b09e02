"""A trial of the hook: two events in a state folder of their own, one that must pass and one that must be denied."""

import json
import os
import subprocess
import tempfile

from planrail.base.json_reading import object_in, read_object
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import update
from planrail.install.files import read
from planrail.install.findings import BAD, WELL, Checkup
from planrail.install.targets import wrapper_path

_SECONDS = 20
_SESSION = "planrail-doctor"
_REINSTALL = "install planrail again, then: planrail init"


def try_hook(state: str) -> list[Checkup]:
    """Whether the wrapper answers: nothing for a session without a plan, a denial for one that plans."""
    wrapper = wrapper_path()
    if not os.access(wrapper, os.R_OK):
        return [Checkup("hook", BAD, f"{wrapper} is missing", _REINSTALL)]
    with tempfile.TemporaryDirectory(prefix="planrail-doctor-") as folder:
        note = read(os.path.join(state, "interpreter"))
        if note is not None:  # the trial starts the Python that the agents' events start
            with open(os.path.join(folder, "interpreter"), "wb") as file:
                file.write(note)
        code, out, err = _send(wrapper, folder)
        idle = Checkup("hook, idle", WELL, "a session without a plan is let alone")
        if code or out:
            text = f"a session without a plan gets exit {code}: {_first(err or out)}"
            idle = Checkup("hook, idle", BAD, text, _REINSTALL)
        return [idle, _try_planning(wrapper, folder)]


def _try_planning(wrapper: str, folder: str) -> Checkup:
    update(
        folder, "claude", _SESSION, lambda _: Session("claude", _SESSION, project=folder, planning=True, own_mode=True)
    )
    code, out, err = _send(wrapper, folder)
    if code == 2 and "could not judge" in err:
        text = f"it denies while planning only because it does not work: {_first(err)}"
        return Checkup("hook, planning", BAD, text, "planrail init   (it notes the right Python)")
    answer = object_in(read_object(out.encode()), "hookSpecificOutput")
    if code == 2 or answer.get("permissionDecision") == "deny":
        return Checkup("hook, planning", WELL, "a session that plans cannot write")
    return Checkup("hook, planning", BAD, f"a session that plans could write: {_first(err or out)}", _REINSTALL)


def _send(wrapper: str, folder: str) -> tuple[int, str, str]:
    """The answer to a Write, asked as an agent would ask, in an environment with nothing else in it."""
    event = {
        "session_id": _SESSION,
        "transcript_path": "",
        "cwd": folder,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": os.path.join(folder, "written.txt"), "content": "x"},
    }
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    try:
        done = subprocess.run(
            ["sh", wrapper, "claude", "PreToolUse"],
            input=json.dumps(event).encode(),
            env={**kept, "PLANRAIL_STATE_DIR": folder},
            cwd=folder,
            capture_output=True,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, "", str(error)
    out, err = (stream.decode("utf-8", "replace").strip() for stream in (done.stdout, done.stderr))
    return done.returncode, out, err


def _first(text: str) -> str:
    return text.splitlines()[0][:200] if text else "no answer"
