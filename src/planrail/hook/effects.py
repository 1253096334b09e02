"""Doing what a decision asked for, beyond its answer."""

import os

from planrail.hook.disk_world import DiskWorld
from planrail.hook.sessions.events import Effect


def do(effect: Effect, world: DiskWorld) -> str:
    """Do one thing. Returns what the user should know about it, mostly nothing."""
    match effect.what:
        case "claim_ticket" if effect.ticket:
            from planrail.hook.sessions.endings import spend_ticket

            spend_ticket(effect.ticket)
        case "end_loop":
            return _end_loop(effect.place)
        case "open_editor":
            return _open_editor(effect.place)
        case "record_stage":
            event = world.event
            request = {"do": "stage", "plan": effect.place, "stage": effect.stage, "is_edited": effect.is_edited}
            about = {"agent": event.agent, "session": event.session, "root": world.project(), "now": world.now}
            return _ask({**request, **about}, world, f"could not note that the plan is {effect.stage}")
        case "end_planning":
            request = {"do": "end_planning", "authoring": effect.place, "is_approved": effect.is_approved}
            return _ask(request, world, "the session is free; that its planning ended could not be noted")
        case _:
            pass  # a ticket that is left was written before the session was removed, see `process`
    return ""


def _end_loop(path: str) -> str:
    from planrail.base.whole_files import write_whole
    from planrail.hook.sessions.loops import end_loop

    try:
        with open(path, encoding="utf-8") as file:
            ended = end_loop(file.read())
        if ended is None:
            return f"planrail: the loop in {path} could not be ended: it has no max_iterations. End it by hand."
        write_whole(path, ended)
    except OSError as error:
        return f"planrail: the loop in {path} could not be ended ({error.strerror}). End it by hand."
    return ""


def _open_editor(path: str) -> str:
    """Only an editor with a window of its own can be opened from here: the terminal belongs to the agent."""
    editor = (os.environ.get("VISUAL") or os.environ.get("EDITOR") or "").split()
    name = os.path.basename(editor[0]) if editor else ""
    if name not in ("code", "codium", "cursor", "zed", "subl", "idea", "gedit", "kate", "mate", "gvim", "open"):
        return f"To edit it, in another terminal: planrail plans open {os.path.basename(path)}"
    if os.fork() == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.setsid()
        try:
            os.execvp(editor[0], [*editor, path])
        finally:
            os._exit(127)
    return ""


def _ask(request: dict[str, object], world: DiskWorld, failed: str) -> str:
    """What the full package has to say to the user when it has noted something, or that it could not."""
    from planrail.hook.heavy import ask

    answer = ask({**request, "folder": world.folder}, {"message": f"planrail: {failed} ({{error}})"})
    return str(answer.get("message", ""))
