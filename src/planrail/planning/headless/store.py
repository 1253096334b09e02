"""Where a headless planning stands, on disk: the planning itself, and what its conductor must not forget.

What a person answered and what was wrong with an answer are texts: they lie in a file of their own, apart from the
machine's state, with the place in the planning that they belong to. At another place they mean nothing.
"""

import contextlib
import json
import os
from collections.abc import Iterator

from planrail.base.errors import ToolFailed
from planrail.base.records import replace
from planrail.base.whole_files import write_whole
from planrail.planning.crew import Stand
from planrail.planning.planning import Answer, Planning
from planrail.planning.plannings import Kept, keep_answer, place_of, save

_ASIDES = "asides.json"


def save_stand(folder: str, kept: Kept, stand: Stand) -> Kept:
    """Keep where a planning stands. A reader sees the old stand or the new one."""
    after = replace(kept, planning=stand.planning).note(conversation=stand.conversation, heard=str(stand.heard))
    asides = {"at": _at(stand.planning), "problems": stand.problems, "answers": stand.answers}
    place = place_of(folder, stand.planning.id)
    with _saying_how_to_go_on(place, stand.planning.id):
        os.makedirs(place, mode=0o700, exist_ok=True)
        write_whole(f"{place}/{_ASIDES}", json.dumps(asides))
        save(folder, after)
    return after


def save_kept(folder: str, kept: Kept) -> None:
    with _saying_how_to_go_on(place_of(folder, kept.planning.id), kept.planning.id):
        save(folder, kept)


def load_stand(folder: str, kept: Kept) -> Stand:
    asides, planning = _load_asides(f"{place_of(folder, kept.planning.id)}/{_ASIDES}"), kept.planning
    is_whole = asides.get("at") == _at(planning)
    known = asides if is_whole else {}
    problems, answers = known.get("problems"), known.get("answers")
    return Stand(
        planning,
        kept.about.get("conversation", ""),
        int(kept.about.get("heard") or 0),
        tuple(str(one) for one in problems) if isinstance(problems, list) else (),
        tuple((str(asked), str(said)) for asked, said in answers) if isinstance(answers, list) else None,
    )


def add_answer(folder: str, planning: Planning, answer: Answer) -> None:
    """Save an answer as it came. One from before at the same place (its attempts began anew) stays beside it."""
    progress = planning.progress
    place = f"{place_of(folder, planning.id)}/answers"
    name = f"{place}/{progress.index + 1:02}-{progress.phase}-{progress.asked}{progress.attempt:02}"
    if os.path.exists(f"{name}.md"):
        number = 1
        while os.path.exists(f"{name}.before-{number}.md"):
            number += 1
        with contextlib.suppress(OSError):
            os.rename(f"{name}.md", f"{name}.before-{number}.md")
    keep_answer(folder, planning, answer)


@contextlib.contextmanager
def _saying_how_to_go_on(place: str, id_: str) -> Iterator[None]:
    """On a full disk nothing is lost but the last answer: an error says so, and how to go on."""
    try:
        yield
    except (OSError, ToolFailed) as error:
        why = error.message if isinstance(error, ToolFailed) else f"{place} cannot be written: {error.strerror}"
        raise ToolFailed(
            f"{why}; what was saved before the last answer is kept there",
            remedy=f"make room there, then: planrail plan --resume {id_}",
        ) from error


def _at(planning: Planning) -> list[object]:
    progress = planning.progress
    return [progress.index, progress.asked, progress.attempt, progress.ended]


def _load_asides(path: str) -> dict[str, object]:
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
