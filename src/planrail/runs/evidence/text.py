"""The evidence as a file for the verifier to read: what was run, how it ended, the end of what it printed."""

from planrail.base.run_model import Baseline, Evidence
from planrail.runs.evidence.judging import describe_exit


def render_evidence(evidence: Evidence, baseline: Baseline | None = None) -> str:
    """All runs on the work, what was found, and how the same checks ended on the untouched base."""
    before = {(run.command, run.origin): run for run in baseline.runs} if baseline is not None else {}
    parts = [f"Checks that planrail ran on the tree {evidence.tree}, in a clean checkout.\n"]
    for number, run in enumerate(evidence.runs, 1):
        base = before.get((run.command, run.origin))
        on_base = f" On the untouched base it {describe_exit(base)}." if base is not None else ""
        parts.append(f"\n## {number}. {run.origin}: {describe_exit(run)} in {run.seconds:g} s.{on_base}\n")
        parts.append(_indent(run.command) + "\n")
        parts.append(f"\nThe end of its output:\n{_indent(run.tail)}\n" if run.tail.strip() else "\nNo output.\n")
    if evidence.findings:
        parts.append("\n## Findings\n\n")
        parts += [f"- {_kind(finding.is_failure)}: {finding.text} [{finding.place}]\n" for finding in evidence.findings]
    return "".join(parts)


def _kind(is_failure: object) -> str:
    return "FAILURE" if is_failure else "note"


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip("\n").split("\n"))
