"""The questions of `planrail doctor` about this machine and this project."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping

from planrail import __version__
from planrail.approval.book import load_policy
from planrail.approval.channels import ChannelRefusal
from planrail.approval.model import KEY
from planrail.approval.people.signers import locate_signers
from planrail.base.errors import PlanrailError, ToolFailed, UsageError
from planrail.base.settings import FILE_NAME, load_settings
from planrail.base.wording import quote
from planrail.confine.backends import NONE
from planrail.confine.trials import find_backend
from planrail.git.git import show_committed
from planrail.hook import AGENTS
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import UnreadableState, list_sessions, load_file
from planrail.hook.sessions.windows import read_thresholds
from planrail.install.files import read
from planrail.install.findings import BAD, NOTE, WELL, Checkup
from planrail.install.json import OddShape, load, stop_time
from planrail.install.records import load_entries
from planrail.install.steps import Entry, Keep, decide_install, is_connected
from planrail.install.targets import JSON, InstallPlace, Target, connection_of, make_target, plugin_folder
from planrail.projects.listing import locate_project


def check_package() -> Checkup:
    """Whether the plugin belongs to this version of the package."""
    try:
        with open(os.path.join(plugin_folder(), ".claude-plugin", "plugin.json"), "rb") as file:
            version = load(file.read()).get("version")
    except (OSError, OddShape) as error:
        return Checkup("package", BAD, f"the plugin cannot be read: {error}", "install planrail again")
    if version != __version__:
        text = f"planrail is {__version__}, but its plugin says {version}"
        return Checkup("package", BAD, text, "install planrail again")
    return Checkup("package", WELL, f"planrail {__version__} with its plugin in {plugin_folder()}")


def check_interpreter(state: str) -> Checkup:
    """Whether the note that tells the hook its Python still holds."""
    path = os.path.join(state, "interpreter")
    note = read(path)
    if note is None:
        return Checkup("python", NOTE, f"there is no {path}: the hook looks for Python by itself", "planrail init")
    lines = os.fsdecode(note).split("\n")
    python, package = [*lines, "", ""][:2]
    if not os.access(python, os.X_OK):
        return Checkup("python", BAD, f"the hook is told to start {python}, which is not there", "planrail init")
    if not os.path.isfile(os.path.join(package, "planrail", "__init__.py")):
        text = f"the hook is told to use planrail in {package}, which is not there"
        return Checkup("python", BAD, text, "planrail init")
    return Checkup("python", WELL, f"the hook starts {python}")


def check_state(state: str) -> Checkup:
    path = os.path.join(state, f".doctor-{os.getpid()}")
    try:
        os.makedirs(state, 0o700, exist_ok=True)
        with open(path, "wb"):
            pass
        os.unlink(path)
    except OSError as error:
        remedy = f"make it writable: chmod u+rwx {quote(state)}, or set PLANRAIL_STATE_DIR"
        return Checkup("state", BAD, f"{state} cannot be written: {error.strerror}", remedy)
    return Checkup("state", WELL, f"sessions are kept in {state}")


def check_settings(root: str | None, environment: Mapping[str, str]) -> list[Checkup]:
    """Whether the settings can be read and make sense, those in the environment included."""
    try:
        settings = load_settings(root, environment, committed=show_committed(root, FILE_NAME) if root else None)
        locate_project(root or os.getcwd(), environment)
    except UsageError as error:
        return [Checkup("settings", BAD, error.message, error.remedy)]
    context = settings.context
    limits = read_thresholds(environment, {"warn": context.warn, "hold": context.hold, "window": context.window})
    if limits.complaints:
        return [Checkup("settings", BAD, text, "correct it") for text in limits.complaints]
    text = (
        f"warns at {limits.warn} %, holds the stop at {limits.hold} %, proposes planning: {settings.planning.propose}"
    )
    findings = [Checkup("settings", WELL, text)]
    if not settings.guard.block:
        text = "tool blocking is switched off in your own settings: planning is not protected"
        findings.append(Checkup("guard", NOTE, text, "take `block = false` out of your planrail.toml"))
    return findings


def check_steering(root: str, environment: Mapping[str, str]) -> list[Checkup]:
    """Whether the project's own agent settings reach for what protects planning."""
    from planrail.hook.steering import ESCAPES, MARKS, NAMES, find_breaking, find_running, find_steering

    home = environment.get("HOME") or os.path.expanduser("~")
    found = []
    for name, path in sorted(find_steering(root, home).items()):
        said = "takes it for unset" if name in NAMES else "refuses prompts and tools in this project"
        remedy = f"take {name} out of {quote(path)}, or set it in your own shell"
        state = NOTE if name in NAMES else BAD
        found.append(Checkup("project", state, f"{path} sets {name}: planrail's hook {said}", remedy))
    breaking = find_breaking(root)
    for name, path in sorted(find_running(root, home).items()):
        if name not in (*breaking, *MARKS, ESCAPES):  # of those it says more elsewhere
            said = "commands that read can run other code by it, and are refused while an agent plans"
            remedy = f"take {name} out of {quote(path)}, or set it in your own shell"
            found.append(Checkup("project", NOTE, f"{path} sets {name}: {said}", remedy))
    for name, path in sorted(breaking.items()):
        text = f"{path} has {name}: no hook can protect planning against that"
        found.append(Checkup("project", BAD, text, f"take {name} out of {quote(path)}"))
    return found


def check_shfmt() -> Checkup:
    """Whether the guard has its second opinion; without it, it refuses more, and lets nothing more pass."""
    beside = os.path.join(os.path.dirname(sys.executable), "shfmt")
    path = beside if os.access(beside, os.X_OK) else shutil.which("shfmt")
    if path is None:
        text = "there is no shfmt: commands beyond the guard's own grammar are denied while planning"
        return Checkup("shfmt", NOTE, text, "pip install shfmt-py")
    return Checkup("shfmt", WELL, f"a second opinion on shell commands: {path}")


def check_confinement() -> Checkup:
    """Whether a process can be kept inside its workspace: it is tried."""
    backend = find_backend()
    if backend.name == NONE:
        text = f"nothing here can keep a process inside its workspace, and planrail look refuses: {backend.reason}"
        return Checkup("confine", NOTE, text, backend.remedy)
    text = f"{backend.name} keeps processes inside: a write and a read outside were refused"
    if backend.reason:
        return Checkup("confine", NOTE, f"{text}; a better one does not work here: {backend.reason}", backend.remedy)
    return Checkup("confine", WELL, text)


def check_git() -> Checkup:
    try:
        done = subprocess.run(["git", "--version"], capture_output=True, text=True, timeout=20)
        return Checkup("git", WELL, done.stdout.strip() or "git")
    except (OSError, subprocess.TimeoutExpired):
        text = "git does not answer: what changed while planning cannot be found by its effect"
        return Checkup("git", BAD, text, "install git, and put it on the PATH")


def check_agents(place: InstallPlace | None, environment: Mapping[str, str], state: str) -> list[Checkup]:
    home = InstallPlace(environment.get("HOME") or os.path.expanduser("~"), is_user=True)
    found = []
    for where in [*([place] if place is not None else []), home]:
        try:
            entries = load_entries(state, where)
        except ToolFailed as error:
            found.append(Checkup("agents", BAD, error.message, error.remedy))
            continue
        targets = [make_target(agent, where, environment) for agent in AGENTS]
        findings = [_check_agent(target, where, entries.get(target.path)) for target in targets]
        found += [finding for finding in findings if finding is not None]
    if found:
        names, text = [finding.name for finding in found], "is connected here and for you, and asks planrail twice"
        remedy = "planrail uninstall, or planrail uninstall --user"
        doubles = [agent for agent in AGENTS if connection_of(agent).is_doubled and names.count(agent) > 1]
        return found + [Checkup(agent, BAD, f"{connection_of(agent).title} {text}", remedy) for agent in doubles]
    if place is None:
        text = "this is no project, and no agent is connected"
        return [Checkup("agents", NOTE, text, "planrail init   (in a project; --user: everywhere)")]
    return [Checkup("agents", NOTE, "no agent is connected here", "planrail init")]


def _check_agent(target: Target, place: InstallPlace, entry: Entry | None) -> Checkup | None:
    """None where the agent is not connected."""
    again = "planrail init" + (" --user" if place.is_user else "")
    try:
        current = read(target.path)
        if current is None or not is_connected(target.kind, current):
            return None
    except OSError as error:
        return Checkup(target.agent, BAD, f"{target.path} cannot be read: {error.strerror}", "look what is there")
    except OddShape as error:
        return Checkup(target.agent, BAD, f"{target.path} cannot be understood: {error}", "correct it")
    if target.kind == JSON and load(current).get("disableAllHooks"):
        text = f"{target.path} has disableAllHooks: nothing is protected"
        return Checkup(target.agent, BAD, text, "take disableAllHooks out of it")
    if not isinstance(decide_install(target, current, entry), Keep):
        text = f"{target.path} is not what this planrail writes{_describe_stop(target, current)}"
        return Checkup(target.agent, BAD, text, again)
    where = "for you" if place.is_user else "in this project"
    return Checkup(target.agent, WELL, f"{connection_of(target.agent).title} is connected {where}: {target.path}")


def _describe_stop(target: Target, current: bytes) -> str:
    """That a stop would be cut off while planrail runs checks, where the time that an older planrail wrote is short."""
    if target.kind != JSON:
        return ""
    for event in ("Stop", "AfterAgent"):
        old, new = (stop_time(document, event) for document in (load(current), target.entries))
        if 0 < old < new:
            return f": a stop may take {old // connection_of(target.agent).second} s there, too short to run checks in"
    return ""


def check_approval(root: str | None, environment: Mapping[str, str]) -> Checkup:
    """Which strengths are asked for; where a key is, whether the list of signers is one that nobody else can change."""
    try:
        policy = load_policy(root, environment)
    except PlanrailError:
        return Checkup("approval", NOTE, "the settings cannot be read, see above", "correct them")
    if not policy.required:
        text = "no approval is needed here: the settings say required = false"
        return Checkup("approval", NOTE, text, "take it out, or write required = true into your own planrail.toml")
    asked = ", ".join(f"{use.replace('_', ' ')}: {strength}" for use, strength in policy.strengths.items())
    lead = f"; the approval of {', '.join(policy.leads)} is needed" if policy.leads else ""
    if KEY in policy.strengths.values():
        signers = locate_signers(environment, policy.signers, root)
        if isinstance(signers, ChannelRefusal):
            text = f"a key is asked for, and no key can count: {signers.reason}"
            return Checkup("approval", BAD, text, signers.remedy)
    return Checkup("approval", WELL, f"enough is, {asked}{lead}")


def check_sessions(state: str, now: float) -> list[Checkup]:
    """A finding for each session that is kept; one that says so where there is none."""
    findings = []
    for agent, path in sorted(list_sessions(state)):
        try:
            moment = os.stat(path).st_mtime
            form = "%H:%M" if now - moment < 86_400 else "%Y-%m-%d %H:%M"
            findings.append(describe(load_file(path), "since " + time.strftime(form, time.localtime(moment))))
        except FileNotFoundError:  # it has ended just now
            continue
        except UnreadableState as error:
            identity = os.path.basename(path).removesuffix(".json")
            remedy = f"planrail detach --session {quote(identity)} --agent {agent}"
            findings.append(Checkup("session", BAD, f"fails closed: {agent} {identity}: {error}", remedy))
    if not findings:
        text = "fails open: no session has a plan, so what goes wrong in the hook is told and blocks nothing"
        return [Checkup("sessions", WELL, text)]
    return findings


def describe(session: Session, since: str) -> Checkup:
    """Whether a failure in this session would be a denial, and why."""
    who = f"{session.agent} {session.id}" + (f" in {session.project}" if session.project else "")
    if not session.is_gate:
        plan = f"the plan {session.plan}" if session.plan else "no plan"
        return Checkup("session", WELL, f"fails open: {who} has {plan} ({since})")
    if session.planning and not session.blocking:
        text = f"fails open: {who} plans, but tool blocking is off there ({since})"
        return Checkup("session", NOTE, text, "to protect it, type there: /plan block on")
    gate, remedy = "was held at its stop", "clear the context there, or go on"
    if session.planning or session.stage == "proposed":
        gate = "plans" if session.planning else "waits for approval to its plan"
        remedy = "approve the plan there, or leave with /plan off"
    elif session.is_fork:
        gate = "was branched off, and nobody can tell yet from which session"
        remedy = "go on there: the first answer settles it"
    return Checkup("session", NOTE, f"fails closed: {who} {gate} ({since})", remedy)
