"""What each phase asks for, in words. An answer that gives these words back has answered nothing."""

from planrail.planning.principles import PRINCIPLES

_PRINCIPLES = "\n".join(f"{principle.id} {principle.name}: {principle.question}" for principle in PRINCIPLES)

UNDERSTAND = """Say what the problem is, before anything else. No plan yet, no headings of one, no solution.
Write at least five numbered points that cover: the problem and why it matters; what success looks like, so that \
a person could check it; constraints; assumptions, each with how it could be tested; the impact on users and on \
other parts. Say what the request leaves open."""

EXPLORE = """Look at the code before you design. No plan yet, no headings of one.
Read the files that the request touches, the tests beside them, and what else does something similar. Report \
what you saw: at least five files, each by its path from the root of the repository (`src/module.py:42` where it \
helps), with what it does and why it matters here. Name what can be reused, the conventions that hold, and what \
surprised you. Cite only what you have seen with your own eyes: the paths are looked up."""

ALTERNATIVES = """Compare ways to do it. No plan yet, no headings of one, no promise.
Describe three ways that really differ (two at the least), numbered. For each: the idea in two sentences, the \
files it touches, its pros and its cons, its effort, and what could go wrong. Then recommend one, and say why \
the others lose."""

LEAST_TO_MOST = """Order the work from least to most: begin with what depends on nothing, and let each phase \
build on finished ones only. State the dependencies of each phase, and which phases could be done in parallel. \
Cite paths that you have seen. A criterion is a command wherever one can tell."""

SMALL = """This is a small change, so write a small plan at once: look at the files that it touches, then write one \
phase with its items, and a command that fails until it is done. Ask nothing that the code answers; one question \
at the most may stand under `## Open Questions`, if only a person can answer it. If the change turns out to be larger, \
say so by the phases that it needs: the plan is then criticised before it is shown."""

REVISE = """Revise the plan by the critique below. Each FAIL is either fixed, or answered with a reason in \
Risks or Open Questions; nothing is dropped in silence. What passed stays as it is."""

OPEN_CRITIQUE = """Write at least five numbered weaknesses of the plan, the worst first. For each: where it is \
in the plan (quote it), what will happen because of it, and what to change. Do not praise. Do not rewrite the \
plan, and make no promise."""

CRITIQUE = f"""Judge the plan by these principles. Number your points; judge at least eight of the twelve, each \
with PASS or FAIL and evidence (a quote, a path, a number), and find at least three that FAIL: a plan without \
weaknesses has not been read. For each FAIL say what to change. Do not rewrite the plan, and make no promise.

{_PRINCIPLES}

Form: `1. P2 File references: FAIL - "the config" is named in 2.1 without a path; name it.`"""

INTERVIEW = """Plan by asking. Write the whole plan now, as far as it is known; a skeleton is enough at first. \
Explore what the next open point needs, and put what you learn into the plan. Questions that only a person can \
answer stand under Open Questions, one item each, all that are open now, the most important first; where there \
are likely answers, end the item with them in parentheses: (a / b / c). Ask nothing that the code answers. When \
nothing is open any more, write "None." there."""

REFINE = """This is a plan that was begun. Phases that are finished stay exactly as they are, byte for byte; \
what is left is revised to fit the code as it is now{feedback}. Keep the numbers of the phases that stay; a new \
phase gets a new number. Say in two sentences before the plan what you changed and why, the second beginning \
with "Why:"."""

ASKED = {
    "understand": UNDERSTAND,
    "explore": EXPLORE,
    "alternatives": ALTERNATIVES,
    "draft": LEAST_TO_MOST,
    "critique": f"{OPEN_CRITIQUE}\n{CRITIQUE}",
    "revise": REVISE,
}
