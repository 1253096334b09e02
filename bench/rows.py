"""What is measured: planrail's commands with the bars they are held to, and what is asked of its peers."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from measure import Case, MeasurementFailed, planrail_program
from peer_projects import QUESTIONS, UNITS, Question
from peers import PEERS, NotInstalled, Peer, find, peer_environment, version
from plans import SHAPES, SamplePlan, spec_kit, written_plan

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Bar:
    """The most that something may cost."""

    most: float


@dataclass(frozen=True)
class Row:
    """A line of the report: a command of a program, on what, and the bars for its CPU ratio and its megabytes.

    For the hook, the command is an event and `state` says what its session is about.
    """

    program: str
    command: str
    subject: str
    units: int | None
    size: int | None
    case: Case
    cpu: Bar | None = None
    memory: Bar | None = None
    is_optional: bool = False
    state: str = ""

    @property
    def title(self) -> str:
        """What the row is called outside its table."""
        return ", ".join(filter(None, (self.state, self.command, self.subject)))


def planrail_rows(folder: str) -> Iterator[Row]:
    """Every measurement of planrail, on plans that are written into a folder."""
    yield _planrail(folder, "--version", None, Bar(7))
    for small in (written_plan(), spec_kit(100)):
        yield _planrail(folder, "next", small, Bar(9))
    yield _planrail(folder, "next", spec_kit(UNITS), Bar(15), Bar(80))
    for shape, make in SHAPES.items():
        if shape != "spec-kit":
            yield _planrail(folder, "next", make(UNITS), Bar(15), Bar(80))
    yield _planrail(folder, "show --json", spec_kit(UNITS), None, Bar(80))
    yield _planrail(folder, "lint --json", written_plan())
    yield _planrail(folder, "lint --json", spec_kit(UNITS), None, Bar(80))


def peer_rows(folder: str, leave_out: Callable[[str], None]) -> Iterator[Row]:
    """The measurements of each peer that is installed; `leave_out` is told about every one that is not."""
    for peer in PEERS:
        home = os.path.join(folder, "home", peer.name)
        os.makedirs(home, exist_ok=True)
        environment = peer_environment(home)
        try:
            stated = version(peer, environment)
        except NotInstalled as reason:
            leave_out(f"{peer.name} is not measured: {reason}")
            continue
        yield from _rows_of_peer(peer, f"{peer.name} {stated}", folder, environment, leave_out)


def _planrail(
    folder: str, command: str, plan: SamplePlan | None, cpu: Bar | None = None, memory: Bar | None = None
) -> Row:
    name, *options = command.split()
    arguments = [planrail_program(), name, *([_save(plan, folder)] if plan else []), *options]
    case = Case(
        arguments,
        folder,
        _environment(folder),
        exit_codes=(0, 1) if name == "lint" else (0,),
        check=_check(name, plan),
    )
    shape, units, size = (plan.shape, plan.units, plan.size) if plan else ("", None, None)
    return Row("planrail", command, shape, units, size, case, cpu, memory, is_optional=name == "lint")


def _environment(folder: str) -> dict[str, str]:
    """The user's environment without what would change how Python runs, and with state of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PLANRAIL_STATE_DIR": os.path.join(folder, "state")}


def _save(plan: SamplePlan, folder: str) -> str:
    """Write a plan into a folder of its own; its path from the common one."""
    path = os.path.join("plans", f"{plan.shape}-{plan.units}", plan.file_name)
    os.makedirs(os.path.join(folder, os.path.dirname(path)), exist_ok=True)
    with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
        file.write(plan.text)
    return path


def _check(name: str, plan: SamplePlan | None) -> Callable[[str], str]:
    """What an answer must say to count: speed at a wrong answer is worth nothing."""

    def check(output: str) -> str:
        if plan is None:
            return "" if output.startswith("planrail ") else "no version"
        if name == "next":
            return "" if str(plan.next_unit) in output else f"not the next unit, {plan.next_unit}"
        return _check_json(name, plan, output)

    return check


def _check_json(name: str, plan: SamplePlan, output: str) -> str:
    try:
        answer = json.loads(output)
    except ValueError:
        return "no JSON; is the command there?"
    if name == "lint":
        return "" if "problems" in answer else "no list of problems"
    phases = answer["phases"]
    counts = (len(phases), sum(len(phase["items"]) for phase in phases))
    return "" if plan.units in counts else f"{plan.units} units are read as {counts[0]} phases, {counts[1]} items"


def _rows_of_peer(
    peer: Peer, title: str, folder: str, environment: Mapping[str, str], leave_out: Callable[[str], None]
) -> Iterator[Row]:
    program = os.path.abspath(find(peer) or peer.name)
    yield _peer_row(title, ("--version",), None, Case((program, "--version"), folder, environment))
    for question in QUESTIONS[peer.name]:
        project = os.path.join(folder, "projects", f"{peer.name}-{question.units}")
        try:
            if not os.path.exists(project):
                os.makedirs(project)
                question.make(program, project, question.units, environment)
        except MeasurementFailed as reason:
            leave_out(f"{peer.name} {question.arguments[0]} is not measured: {reason}")
            continue
        case = Case((program, *question.arguments), project, environment, check=_check_answer(question))
        yield _peer_row(title, question.arguments, question, case)
        if question.why_fewer:
            leave_out(f"{peer.name} {question.arguments[0]} has {question.units:,} units: {question.why_fewer}")


def _check_answer(question: Question) -> Callable[[str], str]:
    return lambda output: "" if question.answer in output else f"an answer without {question.answer!r}"


def _peer_row(title: str, arguments: tuple[str, ...], question: Question | None, case: Case) -> Row:
    units = question.units if question else None
    return Row(title, " ".join(arguments), "", units, None, case, is_optional=True)
