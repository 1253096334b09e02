"""What people and programs are told about the checks of a phase."""

from collections.abc import Callable, Iterator

from planrail.base.run_model import CheckRun
from planrail.base.visible import show_code
from planrail.base.wording import clip, paint, plural
from planrail.runs.evidence.judging import describe_exit
from planrail.runs.in_session.cases import PhaseCase
from planrail.runs.in_session.proving import PhaseProof

_MOST_LINES = 12
_ORIGINS = {"block": "check", "criterion": "criterion", "tests": "tests"}


def describe(case: PhaseCase, proof: PhaseProof) -> dict[str, object]:
    return {
        "plan": case.plan_file.id,
        "path": case.plan_file.source.path,
        "phase": case.order.id,
        "ok": proof.ok,
        "tree": proof.evidence.tree,
        "evidence": proof.hash,
        "base": case.base.commit or None,
        "checks": [_describe_run(run, proof) for run in proof.evidence.runs],
        "missing": [finding.text for finding in proof.evidence.failures],
        "notes": notes(case, proof),
    }


def _describe_run(run: CheckRun, proof: PhaseProof) -> dict[str, object]:
    before = next((one for one in proof.base_runs if (one.command, one.origin) == (run.command, run.origin)), None)
    told = {name: getattr(run, name) for name in ("command", "origin")}
    told |= {"line": run.line or None, "passed": run.exit == 0}
    told |= {name: getattr(run, name) for name in ("exit", "seconds", "output", "tail")}
    base = {"passed": before.exit == 0, "exit": before.exit, "output": before.output} if before else None
    return {**told, "base": base}


def render_head(case: PhaseCase) -> str:
    return f"{paint(f'phase {case.order.id}', 'bold')}: {case.order.title}"


def telling(say: Callable[[str], None]) -> tuple[Callable[[CheckRun], None], Callable[[str], None]]:
    """How `prove` tells what it does: each check, as soon as it has ended, and what may take a while."""
    return lambda run: say("\n".join(_render_run(run))), lambda text: say(paint(f"  {text}", "dim"))


def _render_run(run: CheckRun) -> Iterator[str]:
    glyph, colour = ("✔", "green") if run.exit == 0 else ("✖", "red")
    first, *rest = run.command.splitlines() or [""]
    name = clip(first, 90) + (f" … ({plural(len(rest) + 1, 'line')})" if rest else "")
    where = f", line {run.line}" if run.line else ""
    how = describe_exit(run) if run.exit else "passed"
    about = f"{_ORIGINS.get(run.origin, run.origin)}{where}, {how}, {run.seconds:.1f} s"
    yield f"  {paint(glyph, colour)} {name}  {paint(about, 'dim')}"
    if run.exit:
        yield from (paint(f"      {clip(line, 160)}", "dim") for line in run.tail.rstrip().splitlines()[-_MOST_LINES:])
        yield paint(f"      all of it: {run.output}", "dim")


def render_judgement(case: PhaseCase, proof: PhaseProof) -> list[str]:
    name, runs, failures = f"phase {case.order.id}", proof.evidence.runs, proof.evidence.failures
    failed = sum(run.exit != 0 for run in proof.base_runs)
    told = f"{failed} of {plural(len(proof.base_runs), 'check')} {'fails' if failed == 1 else 'fail'}"
    base = [f"on the base, {case.base.commit[:10]}: {told if failed else 'all pass'}"] if proof.base_runs else []
    lines = [paint(f"  {note}", "dim") for note in (*base, *notes(case, proof))]
    if failures:
        missing = [paint(f"  {finding.text}", "yellow") for finding in failures]
        return [*lines, f"{name} is not proven; missing:", *missing]
    passed, tree = sum(run.exit == 0 for run in runs), proof.evidence.tree.removeprefix("files:")[:10]
    return [*lines, f"{name}: {plural(passed, 'check')} passed on tree {tree}"]


def next_step(case: PhaseCase, proof: PhaseProof) -> str:
    return f"planrail {'done' if proof.ok else 'check'} {case.name} {case.id}"


def notes(case: PhaseCase, proof: PhaseProof) -> list[str]:
    """What people should know, though it speaks neither for nor against the phase."""
    said = [finding.text for finding in proof.evidence.findings if not finding.is_failure]
    said += [f"not run: `{show_code(command)}`, because {reason}" for command, reason in case.order.unrun]
    phase = case.plan_file.plan.phase(case.order.id)
    needed = [case.plan_file.plan.phase(name) for name in (phase.depends_on if phase is not None else ())]
    waiting = [other.id for other in needed if other is not None and not other.status.is_terminal]
    if waiting:
        said.append(f"it depends on {', '.join(waiting)}, which is not finished")
    if not case.tests:
        said.append("the project's tests were not run: planrail.toml names no command ([testing] command = …)")
    if proof.added:
        named = ", ".join(proof.added[:3]) + (" …" if len(proof.added) > 3 else "")
        said.append(f"the checks left files behind, which are no part of the evidence: {named}")
    return said
