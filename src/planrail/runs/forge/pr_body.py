"""What a pull request says: its title, and the block in its body that shows how far the plan is.

A person owns the body. planrail owns the text between its two markers and touches no other byte.
"""

from collections.abc import Iterable, Sequence

from planrail.base.run_model import Order

Row = tuple[str, str, str, str]  # the id of a phase, its title, its state, its commit
TITLE_LIMIT = 120
START, END = "<!-- planrail:progress:start -->", "<!-- planrail:progress:end -->"
_MARKERS = ((START, END), ("<!-- run-plan:progress:start -->", "<!-- run-plan:progress:end -->"))
_SIGNS = {
    "done": "✅ Done",
    "landed": "✅ Done",
    "verified": "✅ Verified",
    "in_progress": "🟡 In progress",
    "waiting": "⏸️ Waiting",
    "paused": "⏸️ Paused",
    "parked": "⏸️ Parked",
    "failed": "❌ Failed",
    "todo": "⬚",
}
_HASH_SHOWN = 10


def write_progress(body: str, rows: Iterable[Row], unpushed: Iterable[tuple[str, str]] = ()) -> str:
    """The body with the block brought up to date; the same bytes where nothing changed.

    `unpushed` are commits that travel along because a person said so: the reviewer of the request has to know.
    A body without a block gets one at its end. Line ends that a forge's editor changed are kept as they are.
    """
    brought = [f"- `{_cell(commit[:_HASH_SHOWN])}` {_cell(subject)}" for commit, subject in unpushed]
    named = ["\n".join(["Not of the plan, and brought along on purpose:", "", *brought])] if brought else []
    lines = ["| Phase | Status | Commit |", "|---|---|---|"]
    for phase, title, state, commit in rows:
        name = _cell(f"{phase}: {title}" if title else phase)
        shown = f"`{_cell(commit[:_HASH_SHOWN])}`" if commit else ""
        lines.append(f"| {name} | {_SIGNS.get(state) or _cell(state)} | {shown} |")
    table = "\n\n".join(["\n".join(lines), *named])
    for start, end in _MARKERS:  # a marker that stands alone, or is cut off, is no block
        first = body.find(start)
        last = body.find(end, first + len(start)) if first >= 0 else -1
        if last >= 0:
            begin = body.rindex(start, first, last) + len(start)
            return body[:begin] + _spell(f"\n{table}\n", body[begin:last] or body) + body[last:]
    breaks = len(body) - len(body.rstrip("\n")) if body else 2  # at its end, one empty line apart
    return body + _spell("\n" * max(0, 2 - breaks) + f"{START}\n{table}\n{END}", body)


def write_body(
    title: str, path: str, issues: Sequence[int], rows: Iterable[Row], unpushed: Iterable[tuple[str, str]] = ()
) -> str:
    links = [f"Issues: {', '.join(f'#{number}' for number in issues)}"] if issues else []
    head = "\n".join([_cell(title), "", f"Plan: `{_one_line(path).replace('`', '')}`", *links])
    return write_progress(head, rows, unpushed)


def write_title(slug: str, title: str, phase: str = "") -> str:
    """`[slug] Title` for a whole plan, `[slug] Phase N: Title` for one phase; never longer than a forge likes."""
    named = (f"Phase {phase}: {title}" if title else f"Phase {phase}") if phase else title
    return _shorten(_one_line(f"[{slug}] {named}"), TITLE_LIMIT)


def _spell(text: str, like: str) -> str:
    return text.replace("\n", "\r\n") if "\r\n" in like else text


def _cell(text: str) -> str:
    """Text that cannot leave its cell, nor open or close a comment."""
    plain = _shorten(_one_line(text), TITLE_LIMIT)
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;")


def _one_line(text: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _shorten(text: str, limit: int) -> str:
    """At most so many characters, cut between two words where that loses little."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit * 2 // 3 else cut).rstrip() + "…"


def close_issues(order: Order) -> str:
    """What the last commit of a plan says of its issues: a forge that gets it closes them. By a pull request they are
    closed when that is merged, with a comment."""
    listed = ", ".join(f"closes #{number}" for number in order.issues) if order.options.landing != "pr" else ""
    return f"\n\n{listed[0].upper()}{listed[1:]}" if listed else ""
