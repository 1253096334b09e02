"""The line below the agent's prompt: the plan, its phase, the next item, what is proven, and how full the window is.

The agent asks for it after each message, so that this is as cheap as the hook; and it never fails, since a plan that
cannot be shown is no reason to leave the user without a line.
"""

from planrail.base.decoding import object_in, text_in
from planrail.hook.sessions.state import PROPOSED, Session, Summary
from planrail.hook.sessions.windows import read_thresholds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST = 40  # characters of one part
_RED, _YELLOW, _GREEN, _CYAN = "31", "33", "32", "36"
_BIDI = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = dict.fromkeys((*range(32), *range(127, 160), *_BIDI), " ")


def render(data: "Mapping[str, object]", session: Session | None, environment: "Mapping[str, str]") -> str:
    """One line for the agent's status; `data` is what the agent tells its status line program.

    With the user's own percentages and taste: `NO_COLOR` is respected; where it runs is no terminal.
    """
    limits = read_thresholds(environment, session.settings if session is not None else {})
    parts = [(text, code) for text, code in _plan_parts(session) if text] if session is not None else []
    if not parts:
        parts = [(text_in(object_in(data, "model"), "display_name"), "")]
    used = object_in(data, "context_window").get("used_percentage")  # not there before the agent's first answer
    if isinstance(used, int | float) and not isinstance(used, bool) and 0 <= used <= 1_000:
        code = _RED if int(used) >= limits.hold else _YELLOW if int(used) >= limits.warn else _GREEN
        parts.append((f"{int(used)} %", code))
    is_coloured = not environment.get("NO_COLOR")
    clipped = [(_clip(text), code if is_coloured else "") for text, code in parts if text]
    return " · ".join(f"\033[{code}m{text}\033[0m" if code else text for text, code in clipped)


def read_window(data: "Mapping[str, object]") -> int:
    """How many tokens fit into the window, as the agent says; 0 where it does not."""
    size = object_in(data, "context_window").get("context_window_size")
    return size if isinstance(size, int) and not isinstance(size, bool) and size > 0 else 0


def remember_window(folder: str, session: Session | None, data: "Mapping[str, object]") -> None:
    """Keep the size of the window with the session, for the hook, which is not told."""
    size = read_window(data)
    if session is None or not size or session.window == size:
        return
    from planrail.base.records import replace
    from planrail.hook.sessions.store import update

    update(folder, session.agent, session.id, lambda now: None if now is None else replace(now, window=size))


def _plan_parts(session: Session) -> "list[tuple[str, str]]":
    """What there is to say about the plan, each with its colour; empty where there is none."""
    if not session.planning and not session.plan:
        return []
    name = session.plan.rpartition("/")[2]
    parts = [("planning" if session.planning else "", _CYAN), (name.rpartition(".")[0] or name, "")]
    if session.stage == PROPOSED:
        parts.append(("waits for approval", _YELLOW))
    summary = session.summary
    if summary is None:
        return parts
    proof = _proof(session, summary)
    if summary.status == "complete":
        return [*parts, ("complete", _GREEN), proof]
    counted = f"phase {min(summary.phases_done + 1, summary.phases)}/{summary.phases}" if summary.phases else ""
    return [*parts, (counted, ""), (summary.item, ""), proof]


def _proof(session: Session, summary: Summary) -> "tuple[str, str]":
    """What evidence there is: of the open phase, where a stop was answered with what is missing; else of those done."""
    missing, done = session.execution.get("missing"), summary.phases_done
    if isinstance(missing, list) and missing and session.execution.get("phase") == summary.phase_id:
        return f"not proven: {len(missing)} missing", _YELLOW
    if not summary.phases or session.planning:
        return "", ""
    if not done:
        return "nothing proven yet", ""
    return (f"{done} proven", _GREEN) if summary.proven >= done else (f"{summary.proven} of {done} proven", _YELLOW)


def _clip(text: str) -> str:
    """A text of other people's, so that it stays one part of one line."""
    plain = " ".join(text.translate(_CONTROLS).split())
    return plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…"
