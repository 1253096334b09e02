"""planrail as a library: `python examples/library.py PLAN` says what comes next, and what stands in the way of it."""

import sys

import planrail


def main(path: str) -> int:
    try:
        plan = planrail.read_plan(path)
    except planrail.PlanrailError as error:
        print(f"{error.message}\ntry: {error.remedy}", file=sys.stderr)
        return 1
    print(f"{plan.title} ({plan.format}): {plan.status}")
    for phase in plan.phases:
        print(f"  {phase.id}  {phase.status:<12} {phase.title}  (line {phase.line}: {phase.reason})")
    for problem in planrail.lint(path, is_grounding=False):
        print(f"  {path}:{problem.line}: {problem.severity}: {problem.message}")
    if plan.next is None:
        return 0
    print(f"next: phase {plan.next.phase}")
    verdict = planrail.judge_command("git log --oneline | head -5")
    print(f"while it is planned, `git log` is {verdict.decision}ed; a run of it would be:")
    print(f"  planrail.start_run(planrail.RunRequest({path!r}, phase={plan.next.phase!r}, agent='claude'))")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
