"""The capsule: a plan in a few lines that put an agent back on its way, and the whole text where that fits.

Agents cut what a hook tells them at about 10,000 characters, so nothing here is longer than `LIMIT`.
"""

from planrail.hook.sessions.state import NO_PLAN, PLAN_COMPLETED, Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.hook.sessions.loops import Loop

LIMIT = 9_500
_LONGEST_LINE = 240
_LONGEST_PROMPT = 3_000
_UPDATE = "**IMPORTANT:** After completing a task, update this plan file: tick its box, or mark its phase."
_PROVE = (
    "**IMPORTANT:** planrail marks this phase and its boxes, not you, and on evidence only: `planrail check {names}`"
    " runs its checks, `planrail done {names}` runs them again and marks it if they pass."
)


def render_progress(summary: Summary) -> str:
    if not summary.total:
        return "no trackable tasks"
    return f"{summary.done}/{summary.total} tasks ({100 * summary.done // summary.total}%)"


def render_unreadable(path: str, summary: Summary) -> str:
    """A plan file whose bytes say nothing to an agent: that, and what the user can do."""
    return (
        f"The plan of this session cannot be read: {clip(summary.problem)}. Nothing of it is shown, and the file is"
        f" untouched. Do not guess what it says. Tell the user: planrail show {shell_word(path)}"
    )


def render_capsule(path: str, summary: Summary, text: str = "", *, room: int = LIMIT) -> str:
    """What an agent needs to go on with a plan. The text is added only where the whole of it fits."""
    if summary.problem:
        return render_unreadable(path, summary)
    rule = _UPDATE  # who marks what is done: planrail, where the phase has checks; else the agent, and it is a claim
    if summary.checks and summary.phase_id:
        rule = _PROVE.format(names=clip(f"{shell_word(path)} {shell_word(summary.phase_id)}"))
    capsule = f"{render_head(path, summary)}\n\n{rule}"
    whole = f"{capsule}\n\n---\n\n{text}"
    if text and len(whole) <= room:
        return whole
    items = "\n".join(f"- [ ] {clip(item)}" for item in summary.open_items)
    rest = f"\n\n**Open items:**\n{items}" if items else ""
    cut = f"{capsule}{rest}\n\nThe plan is too long to repeat here: read it at {path} before you go on."
    return cut if len(cut) <= room else cut[: room - 1] + "…"


def render_head(path: str, summary: Summary) -> str:
    goal = f"\n**Goal:** {clip(summary.goal)}" if summary.goal else ""
    limits = "".join(
        f"\n**{name}:** {clip(said)}" for name, _, said in (line.partition(": ") for line in summary.limits)
    )
    done = f"({summary.phases_done}/{summary.phases} phases done)"
    phase = f"\n**Phase:** {clip(summary.phase)} {done}" if summary.phase else ""
    return f"""## Plan: `{path.rpartition("/")[2]}`

**File:** {path}{goal}{limits}
**Progress:** {render_progress(summary)}{phase}
**Current task:** {clip(summary.item) or "None"}"""


def render_status(path: str, summary: Summary) -> str:
    """How far a plan is, for a user who asked."""
    return f"""## Plan Status: `{path.rpartition("/")[2]}`

**Progress:** {render_progress(summary)}
**Current task:** {clip(summary.item) or "None"}
**File:** {path}

Report this to the user; do not start working on it."""


def render_resume(path: str, summary: Summary, text: str) -> str:
    """A plan that is wanted back: what to do, then the plan."""
    if summary.problem:
        return render_unreadable(path, summary)
    directive = f"""**ACTION REQUIRED - POST-CLEAR RESUME:**
- Signal: resume
1. Rebuild the to-do list: one task for each open item of the plan below, the first one in progress.
2. Load the skills that the work needs.
3. If a memory server is available, list its memories and read back what was saved before the clear.
4. Resume the current task: {clip(summary.item or summary.phase) or "the first one that is open"}
Before you start, check that it is not done already. If the user's message contains a different request, address \
that first."""
    return f"{directive}\n\n{render_capsule(path, summary, text, room=LIMIT - len(directive) - 2)}"


def render_mention(path: str, summary: Summary | None) -> str:
    """A plan that was there before, for an agent that was not asked to go on with it."""
    if summary is None or not summary.status:
        return f"The conversation before this one had the plan {path}, which is no longer there.\n- Signal: fresh-start"
    if summary.problem:
        return render_unreadable(path, summary)
    left = summary.total - summary.done
    state = "complete" if summary.status == "complete" else render_progress(summary)
    return (
        f"The conversation before this one had a plan: {path} ({state}, pending: {left} tasks, not loaded).\n"
        "- Signal: fresh-start\n"
        "Do not resume it on your own. Mention it if it matters; the user brings it back with `reload`."
    )


def render_proposed(path: str, summary: Summary) -> str:
    """A plan that was before the user when the context was cleared: what they do next says whether it is approved."""
    return (
        f"The plan at {path} ({render_progress(summary)}) was proposed, and then the context was cleared.\n"
        "If the user's message asks to implement it, it is approved: follow it, and mark in that file what is done."
        " Otherwise it is only a proposal: do not carry it out on your own."
    )


def render_return(kind: str, path: str) -> str:
    """What to tell an agent when a clear was asked for and there is no open plan to come back to."""
    opening = {PLAN_COMPLETED: "The plan is completed", NO_PLAN: "There was no plan"}.get(kind, "The plan is missing")
    expected = f"\n**Expected plan:** {path} (missing)" if kind not in (PLAN_COMPLETED, NO_PLAN) and path else ""
    return f"""**ACTION REQUIRED - POST-CLEAR RESUME:**
- Signal: resume
- Type: {kind}{expected}
{opening}; the context was cleared on purpose. If a memory server is available, call list_memories() IMMEDIATELY and \
read back what was saved. Then report where things stand, and ask the user what to do next. \
If the user's message contains a request, address that first."""


def render_reload_block(path: str, summary: Summary | None) -> str:
    """What to paste after a clear, complete in itself."""
    plan = f"\n- Plan: {path}" if path else ""
    resume = f"\n- Resume: {clip(summary.item)}" if summary is not None and summary.item else ""
    memory = "- Memory: read back what was saved to the memory server, if there is one"
    return f"**Reload with:**{plan}\n{memory}{resume}"


def render_loop(loop: "Loop") -> str:
    """A loop that nobody saved before the clear, because the window was not filling: it goes on by itself."""
    return (
        f"A Ralph {loop.kind} is active in {loop.path} (iteration {loop.iteration}): the plan above is the work of its"
        " current phase. Go on with that; do not start the loop a second time."
    )


def render_loop_resume(loop: dict[str, object]) -> str:
    """How to take up a loop that was ended for a clear, with what remains of it. One that was over is offered."""
    if loop.get("is_over"):
        return (
            f"The {loop.get('kind')} in {loop.get('path')} ended by itself before the context was cleared (iteration"
            f" {loop.get('iteration')} was seen last). Do not start it again on your own: offer it to the user."
        )
    if loop.get("kind") == "orchestrator":
        return (
            "**RALPH ORCHESTRATOR AUTO-RESUME (Pattern B)**\n"
            f"Iteration {loop.get('iteration')} of {loop.get('max')} was reached"
            f" (current task: {loop.get('task') or 'unknown'}). Go on with the next task of the plan, one worker at a"
            f" time, until {loop.get('promise') or 'the plan is complete'}. Do not ask first."
        )
    promise, prompt = str(loop.get("promise") or ""), str(loop.get("prompt") or "")
    if len(prompt) + len(promise) > _LONGEST_PROMPT:
        return (
            "**RALPH LOOP AUTO-RESUME**\nThe loop was ended so that the context could be cleared. Its prompt is long:"
            " read it in .claude/ralph-loop.local.md, and start ralph-loop:ralph-loop with that prompt again,"
            f" the same promise, and --max-iterations {loop.get('remaining')}."
        )
    from planrail.base.decoding import encode

    option = f" --completion-promise {_quoted(promise)}" if promise else ""
    return (
        "**RALPH LOOP AUTO-RESUME**\n"
        "The loop was ended so that the context could be cleared. Take it up again now, without asking:\n"
        f'Skill(skill: "ralph-loop:ralph-loop", args: {encode(prompt + option)[:-1]}'
        f' --max-iterations {loop.get("remaining")}")'
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def shell_word(text: str) -> str:
    plain = all(sign.isalnum() or sign in "/._-+,:@%" for sign in text)
    return text if text and plain else _quoted(text)


def clip(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…"
