"""What there is to look at: whether a phase changed what people see, and what a person answers for. Pure."""

import re
from collections.abc import Iterable, Sequence

from planrail.base.records import record
from planrail.base.run_model import Finding, Order, PhaseOrder
from planrail.base.values import value
from planrail.plans.execution.executions import announce_ui
from planrail.runs.phases.choosing import choose, done_before

_SIGNS = re.compile(r"\*\*/|\*\*|\*|\?")
_MEANINGS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@value
class Picture:
    """A picture of a page, and the file that it is in. `page` is as the settings name it."""

    page: str
    path: str


@value
class View:
    """What was seen of a tree. `findings` say why a picture is missing, or what was odd; none speaks against the work.
    `is_awaited`: the phase lands only after a person has signed it off."""

    tree: str
    pictures: tuple[Picture, ...] = ()
    findings: tuple[Finding, ...] = ()
    is_awaited: bool = True
    is_whole: bool = True  # every page that was asked for has its picture


@record
class Viewpoint:
    """One thing that a person looks at. `picture` is a file, or "" where there is none of it."""

    id: str
    text: str
    picture: str = ""


def is_seen(phase: PhaseOrder, paths: Iterable[str], globs: Sequence[str]) -> bool:
    """Whether people see what a phase did: by its words, or because it changed files that people see."""
    if phase.is_ui or not globs:
        return phase.is_ui
    patterns = []
    for (
        glob
    ) in globs:  # as people write it: `*.css` is a file in any folder, `src/ui/` or `src/ui/**` all that is below
        whole = glob.strip().removeprefix("./").lstrip("/")
        whole += "**" if whole.endswith("/") else ""
        parts, at = [], 0
        for sign in _SIGNS.finditer(whole):
            parts += [re.escape(whole[at : sign.start()]), _MEANINGS[sign[0]]]
            at = sign.end()
        body = "".join([*parts, re.escape(whole[at:])])
        patterns.append(re.compile(body if "/" in whole else f"(?:.*/)?{body}", re.DOTALL))
    return any(pattern.fullmatch(path) for path in paths for pattern in patterns)


def list_viewpoints(phase: PhaseOrder, view: View | None) -> list[Viewpoint]:
    """All that a person has to look at, with ids that stay the same when a report is written anew."""
    # without those that are a command: planrail itself has run that
    commands = tuple(f"`{check.command}`" for check in phase.checks if check.origin == "criterion")
    texts = dict.fromkeys((*phase.items, *phase.criteria))
    wanted = [text for text in texts if not text.lstrip("*").startswith(commands)]
    things = [Viewpoint("", text) for text in wanted or [phase.title]]
    pages = [Viewpoint("", f"the page {shot.page} looks right", shot.path) for shot in view.pictures] if view else []
    return [Viewpoint(f"P{phase.id}-{at}", one.text, one.picture) for at, one in enumerate([*things, *pages], 1)]


def announce(order: Order) -> str:
    """The sentence that names, before a run starts, the phases of it that people will see; "" where there are none."""
    done, chosen = done_before(order), choose(order, ())
    ahead = {phase.id for phase in order.phases} - done if order.options.finish else set()
    ahead |= set(chosen) if isinstance(chosen, tuple) else set()
    seen = [phase for phase in order.phases if phase.is_ui and phase.id in ahead]
    told = announce_ui([(phase.id, f"{phase.title}\n{phase.text}") for phase in seen])
    if not told or order.options.awaits_sign_off:
        return told
    return told.replace("a person has to look at", "people will see, and nobody is waited for") + " ([ui] sign_off)"


def unseen(text: str, *, kind: str = "server", place: str = "") -> Finding:
    return Finding(kind, f"no pictures were taken: {text}", place, is_failure=False)


def odd_page(page: str, text: str) -> Finding:
    return Finding("page", f"{page}: {text}", is_failure=False)
