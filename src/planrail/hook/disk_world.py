"""The world as it is: answers for decisions, from the disk and from the full package. Each is found out once."""

import os

from planrail.base.projects import find_project
from planrail.base.records import replace
from planrail.base.whole_files import read_whole
from planrail.hook.sessions.events import STOP, Event
from planrail.hook.sessions.state import Session, Summary, read_summary, take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from planrail.guard.judging import GuardVerdict
    from planrail.guard.places import RepositoryLook
    from planrail.hook.sessions.loops import Loop
    from planrail.hook.sessions.world import Assigned, Authored, Changes, Fill, Prepared, StopLook, Ticket

    F = TypeVar("F", bound=Callable[..., object])

_STARTED_BY_PLANRAIL = "PLANRAIL_AGENT_PROCESS"
_LOOP_FILES = (".claude/ralph-loop.local.md", ".claude/ralph-orchestrator.local.md")
_MOST_TEXT = 2_000_000  # bytes of a plan


def _size_of(path: str) -> str:
    """How large a file is, as a text; "" where nobody can tell."""
    try:
        return str(os.stat(path).st_size) if path else ""
    except OSError:
        return ""


def _once(find: "F") -> "F":
    """An answer that is given once for an event: to the same question it stays the same."""

    def remembered(self: "DiskWorld", *arguments: object, **options: object) -> object:
        key = (find, *(text for text in arguments[:1] if isinstance(text, str)))
        if key not in self.known:
            self.known[key] = find(self, *arguments, **options)
        return self.known[key]

    return remembered  # type: ignore[return-value]


class DiskWorld:
    """See `hook.sessions.events.World`. `session` is what was loaded: it holds answers from earlier events."""

    def __init__(self, event: Event, folder: str, session: Session, *, now: int) -> None:
        self.event = event
        self.folder = folder
        self.session = session
        self.now = now
        self.home = os.environ.get("HOME") or os.path.expanduser("~")
        self.fresh_settings: dict[str, object] | None = None  # to be kept with the session
        self.known: dict[object, object] = {}  # what was answered so far
        self.lost_tickets: set[str] = set()  # another session was faster

    @_once
    def project(self) -> str:
        """Where the agent works: in the project that it was started in, as long as it is there at all."""
        here = self.event.cwd or os.getcwd()
        started = os.environ.get("CLAUDE_PROJECT_DIR", "") if self.event.agent == "claude" else ""
        is_inside = started and f"{os.path.realpath(here)}/".startswith(f"{os.path.realpath(started)}/")
        return find_project(started if is_inside else here)

    @_once
    def settings(self) -> "dict[str, object]":
        config = os.environ.get("XDG_CONFIG_HOME") or f"{self.home}/.config"
        stamps = [_stamp(f"{config}/planrail/planrail.toml"), _stamp(f"{self.project()}/planrail.toml")]
        if not any(stamps):
            return {}
        stamp = " ".join(stamps)
        kept = self.session.settings
        if kept.get("stamp") == stamp:
            return kept
        # Settings that cannot be read must not let a stop go free: an agent can have written them. The last ones count,
        # and a look at the phase says what is wrong.
        found = self._ask("settings", {"failed": "{error}"} if self.event.kind == STOP else None)
        if "failed" in found:
            return kept
        self.fresh_settings = {**found, "stamp": stamp}
        return self.fresh_settings

    @_once
    def prepare(self, text: str, *, own_mode: bool, plan: str) -> "Prepared":
        from planrail.hook.sessions.world import Prepared

        failed = {"complaint": "planrail: changes cannot be detected while planning ({error})"}
        return take(Prepared(), self._ask("prepare", failed, text=text, plan=plan, wants_plan=own_mode))

    @_once
    def begin(self, text: str, plan: str, *, is_plain: bool) -> "Prepared":
        from planrail.hook.sessions.world import Prepared

        return take(Prepared(), self._ask("begin", text=text, plan=plan, is_plain=is_plain))

    @_once
    def author(self, session: Session) -> "Authored":
        from planrail.hook.sessions.world import Authored

        text, known = self.event.last_message, session.proposed_mark
        stamp = _size_of(self.event.transcript)
        return take(Authored(), self._ask("answer", authoring=session.authoring, text=text, known=known, stamp=stamp))

    @_once
    def look(self, session: Session) -> "StopLook":
        from planrail.hook.sessions.world import StopLook

        known, settings = session.execution, self.settings()
        values: dict[str, object] = {
            "at_stop": settings.get("at_stop", "checks"),
            "hold_seconds": settings.get("hold_seconds", 120),
        }
        values |= {"mark": known.get("mark", ""), "missing": known.get("missing", [])}
        failed = {"verdict": "told", "why": "it could not be looked at ({error})"}
        return take(StopLook(), self._ask("look", failed, plan=session.plan, message=self.event.last_message, **values))

    @_once
    def gate(self, command: str, session: Session) -> str:
        target = self.settings().get("target", "")
        about = {"plan": session.plan, "cwd": self.event.cwd, "target": target, "command": command}
        return str(self._ask("gate", **about).get("reason") or "")

    @_once
    def phase(self, authoring: str) -> str:
        return str(self._ask("phase", authoring=authoring)["text"])

    def _ask(self, do: str, instead: dict[str, str] | None = None, /, **values: object) -> "dict[str, object]":
        from planrail.hook.heavy import ask

        event = self.event
        about = {"root": self.project(), "agent": event.agent, "session": event.session, "folder": self.folder}
        return ask({"do": do, **about, **values, "now": self.now}, instead)

    @_once
    def fill(self) -> "Fill | None":
        if not self.event.transcript:
            return None
        from planrail.hook.sessions.store import kept_model
        from planrail.hook.sessions.transcript import measure
        from planrail.hook.sessions.windows import decide_window, percent_of, read_thresholds
        from planrail.hook.sessions.world import Fill

        if self.event.kind == STOP:
            from planrail.hook.late_lines import wait_for

            wait_for(self.event.last_message, self.event.transcript)
        usage = measure(self.event.transcript)
        if usage is None:
            return None
        limits = read_thresholds(os.environ, self.settings())
        model = kept_model(self.folder, self.event.agent, self.event.session) or usage.model or self.event.model
        told = self.session.window or None
        window = decide_window(statusline=told, setting=limits.window, codex=usage.window, model=model)
        return Fill(percent_of(usage.tokens, window), limits.warn, limits.hold, limits.complaints)

    @_once
    def summary(self, path: str) -> Summary:
        stamp, kept = _stamp(path), self.session.summary
        if not stamp:
            return Summary()
        if kept is not None and path == self.session.plan and kept.stamp == stamp:
            return kept
        read = read_summary(self._ask("summary", plan=path).get("summary"))
        return replace(read or Summary(status="unknown"), stamp=stamp)

    @_once
    def examine(self, text: str) -> "list[str]":
        found = self._ask("examine", {"problems": ""}, text=text).get("problems")
        return [str(problem) for problem in found] if isinstance(found, list) else []

    @_once
    def assignment(self, plan: str) -> "Assigned":
        from planrail.hook.sessions.world import Assigned

        return take(Assigned(), self._ask("assignment", plan=plan))

    def text(self, path: str) -> str:
        return (read_whole(path, _MOST_TEXT) or b"").decode("utf-8", "replace")

    def exists(self, path: str) -> bool:
        return os.path.lexists(path)

    def writer_of(self, plan: str) -> str:
        return str(self._ask("writer", plan=plan).get("session") or "")

    def resolve(self, path: str) -> str:
        resolved = os.path.realpath(os.path.join(self.event.cwd or "/", path))
        if os.path.realpath(resolved) != resolved:
            # Behind a circle of links `realpath` gives up and leaves the rest unresolved.
            raise OSError(f"{path} leads through a circle of links")
        return resolved

    def find_plan(self, name: str) -> str:
        return str(self._plans(name).get("plan") or "")

    def plan_names(self) -> list[str]:
        names = self._plans("").get("names")
        return [str(name) for name in names] if isinstance(names, list) else []

    @_once
    def _plans(self, name: str) -> "dict[str, object]":
        return self._ask("find", name=name, cwd=self.event.cwd)

    def plan_folders(self) -> list[str]:
        from planrail.hook.agent_plans import plan_folders

        return plan_folders(self.event.agent, self.project(), self.home, os.environ)

    def is_taken(self, plan: str) -> bool:
        from planrail.hook.neighbours import is_taken

        return is_taken(self.folder, self.event, plan, self.now)

    def began_before(self, moment: int) -> bool:
        from planrail.hook.neighbours import began_before

        return began_before(self.event.transcript, moment)

    def silent_sessions(self, seconds: int) -> list[Session]:
        from planrail.hook.neighbours import silent_sessions

        return silent_sessions(self.folder, self.event, self.project(), self.now - seconds)

    def repositories(self, session: Session) -> "RepositoryLook":
        # Not the project of the event's folder: Codex says there where its model wants the command to run.
        return _Repositories(session.project or self.project(), session.embedded)

    def running_variable(self, session: Session) -> tuple[str, str]:
        from planrail.hook.steering import find_running

        places = dict.fromkeys((session.project or self.project(), self.event.cwd))
        found = (pair for place in places if place for pair in find_running(place, self.home).items())
        return next(found, ("", ""))

    @_once
    def second_opinion(self, command: str, session: Session) -> "GuardVerdict":
        from planrail.guard.judging import GuardVerdict, start_of

        root, cwd = session.project or self.project(), start_of(self.event.input, self.event.cwd)
        places = {"root": root, "cwd": cwd, "embedded": session.embedded, "home": self.home}
        failed = {"decision": "deny", "reason": "the command could not be judged ({error}); use a simpler one"}
        answer = self._ask("opinion", failed, command=command, **places)
        return GuardVerdict(str(answer["decision"]), str(answer["reason"]))

    @_once
    def changes(self, session: Session, *, is_leaving: bool = False) -> "Changes | None":
        from planrail.hook.sessions.world import Changes

        report = "planrail: the tree could not be compared with its state at entry ({error})"
        failed = {"mark": "failed", "report": report}
        about = {"snapshot": session.snapshot, "plan": session.plan, "label": session.id}
        answer = self._ask("compare", failed, is_leaving=is_leaving, **about)
        return Changes(str(answer["mark"]), str(answer["report"])) if answer.get("mark") else None

    @_once
    def parent(self) -> Session | bool:
        from planrail.hook.neighbours import find_parent, list_relatives

        relatives = list_relatives(self.folder, self.event, self.project())
        return find_parent(relatives, self.event.transcript) if relatives else False

    def loop(self) -> "Loop | None":
        places = [os.path.join(self.event.cwd or "/", name) for name in _LOOP_FILES]
        texts = [(text, path) for path in places if (text := self.text(path))]
        if not texts:
            return None
        from planrail.hook.sessions.loops import read_loop

        return next((loop for text, path in texts if (loop := read_loop(text, path)) is not None), None)

    @_once
    def prime(self) -> str:
        """An agent that planrail itself has started has its orders, and is not told of other tasks."""
        from planrail.base.primed import load_primed
        from planrail.hook.heavy import HeavyFailed

        text = "" if _STARTED_BY_PLANRAIL in os.environ else load_primed(self.folder, self.event.cwd or os.getcwd())
        try:
            return text if text and self.settings().get("prime") is not False else ""
        except HeavyFailed:
            return ""  # whatever is wrong with the settings, the plan must come through the clear

    def tickets(self) -> "list[Ticket]":
        from planrail.hook.sessions.endings import list_tickets

        found = list_tickets(self.folder, self.event.agent, now=self.now)
        return [ticket for ticket in found if ticket.path not in self.lost_tickets]


class _Repositories:
    """The look of `guard.repositories`, which is loaded only where git is to run."""

    def __init__(self, root: str, module: str) -> None:
        self._root = root
        self._module = module
        self.search_path = os.environ.get("CDPATH", "")

    def resolve(self, path: str) -> str:
        return os.path.realpath(path)

    def refuse(self, folder: str, *, connects: bool = False) -> str:
        from planrail.guard.repositories import Repositories

        return Repositories(self._root, lambda: self._module).refuse(folder, connects=connects)


def _stamp(path: str) -> str:
    """What changes when a file does; "" where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    return f"{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"
