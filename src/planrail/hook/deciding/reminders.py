"""What an agent is told while it plans: in full on the first turn and every fifth after it, in one line otherwise."""

FULL_EVERY = 5  # human turns

_RULES = """Plan mode is on. You plan; you do not act. Nothing you do may change a file, a ref or anything outside, \
except {file}. This holds for you and for every sub-agent, and it is enforced: tools and shell commands that are not \
proven to be read-only are denied. It stays on until the user approves the plan."""
_PHASES = """How to plan:
1. Understand: read the request and the code; up to {explore} explore agents in parallel.
2. Design: compare alternatives; plan agents, if you use them: at most {plan}.
3. Review: read the critical files yourself; ask the user what is open, all questions at once.
4. Write the plan{where}: goal, scope, steps in order with the files they touch, how each is verified, risks.
5. Present it: {present}"""
_INTERVIEW = """How to plan: write a skeleton of the plan first{where}. Then go round until nothing is open: explore a \
little, update the plan, ask the user the questions that only they can answer, several at once. Present it at the \
end: {present}"""
_PRESENT_NATIVE = """say in a few lines what it does, then call ExitPlanMode. A turn ends only with a question to the \
user or with ExitPlanMode."""
_PRESENT_CODEX = "in a <proposed_plan> block, as Codex's plan mode asks. Nothing is written: it has no plan file."
_PRESENT_OWN = "show a short summary and stop. The user approves with {approve}, or says what to change."

_MARKS = (
    "`planrail done PLAN PHASE` runs the checks of a finished phase and marks it; only where a phase names no check,"
    " mark there yourself what is done."
)


def is_full_turn(turn: int) -> bool:
    """Whether the nth human turn in plan mode (from 1) gets the full reminder."""
    return turn % FULL_EVERY == 1


def render_limits(plan: str) -> str:
    return _RULES.format(file=f"your plan file, {plan}" if plan else "your plan file")


def render_full(plan: str, settings: dict[str, object], *, approve: str, agent: str = "") -> str:
    """All rules, and the way to plan. `approve` is how the user approves; "" where the agent's own dialog asks."""
    workflow = _INTERVIEW if settings.get("workflow") == "interview" else _PHASES
    present = _PRESENT_CODEX if agent == "codex" else _PRESENT_NATIVE
    present = _PRESENT_OWN.format(approve=approve) if approve else present
    most = {"explore": settings.get("explore_agents", 3), "plan": settings.get("plan_agents", 1)}
    way = workflow.format(**most, where=f" into {plan}" if plan else "", present=present)
    return f"{render_limits(plan)}\n\n{way}"


def render_sparse(plan: str) -> str:
    where = f" Only {plan} may be written." if plan else ""
    return f"Plan mode is still on: read-only, for you and your sub-agents.{where}"


def render_reentry(plan: str) -> str:
    """For a session that plans again and has a plan already."""
    return (
        f"You are back in plan mode, and there is a plan from before at {plan}. Read it first. If the request is a"
        " different one, write the plan anew; if it goes on with the same work, change it; then present it again."
    )


def render_exit(plan: str, *, is_approved: bool) -> str:
    """Once, after plan mode was left."""
    if is_approved:
        where = f" It is at {plan}; follow it phase by phase. {_MARKS}" if plan else ""
        return f"Plan mode is off: the user approved the plan. You can now make changes.{where}"
    where = f" The plan is at {plan}." if plan else ""
    return f"Plan mode is off. You can now make changes.{where}"


def render_subagent(plan: str) -> str:
    """What a sub-agent of a session that plans is told when it starts."""
    where = f" If you write notes, write them only to {plan}." if plan else ""
    return (
        "The session that started you is in plan mode: you are held to the same rules. Read and report; change nothing."
        f" Commands that are not proven to be read-only are denied.{where}"
    )


def render_proposal(propose: object) -> str:
    """How eagerly to propose planning, told once when a session with such a setting starts."""
    if propose == "eager":
        return "Before any task that touches more than one file, propose to plan first (/plan)."
    if propose == "never":
        return "Do not propose to plan, and do not enter plan mode by yourself: the user does that with /plan."
    return ""
