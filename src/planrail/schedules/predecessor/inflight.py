"""The predecessor's sign that a pipeline is under way, by which a job that fires too early knows to leave.

A file for each pipeline, believed for two hours. planrail holds a claim instead, which ends with its process.
"""

import re

from planrail.records import record

IN_FLIGHT, PROCEED, BAD_CALL = 0, 1, 2
MAX_AGE = 7200.0  # seconds
_SKILL = re.compile(r"[a-z0-9-]+")
_PIPELINE = re.compile(r"[A-Za-z0-9._-]+")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


@record
class Sentinel:
    """One file. `started` is None where it has no date, or cannot be read at all."""

    skill: str
    pipeline: str
    session: str
    started: float | None


@record
class InflightAnswer:
    """An exit code, and what is left of the files."""

    code: int
    sentinels: tuple[Sentinel, ...]


def check_inflight(
    sentinels: "Iterable[Sentinel]", skill: str, session: str, pipeline: str, now: float, max_age: float = MAX_AGE
) -> InflightAnswer:
    """Whether this session has this pipeline under way, or any of the skill's where none is named.

    What is too old or undated is removed while looking, whosoever it is.
    """
    known = tuple(sentinels)
    if not _SKILL.fullmatch(skill) or (pipeline and not _PIPELINE.fullmatch(pipeline)):
        return InflightAnswer(BAD_CALL, known)
    left = tuple(one for one in known if one.skill != skill or _is_fresh(one, now, max_age))
    mine = [one.pipeline for one in left if one.skill == skill and one.session == session]
    is_there = pipeline in mine if pipeline else bool(mine)
    return InflightAnswer(IN_FLIGHT if is_there else PROCEED, left)


def _is_fresh(sentinel: Sentinel, now: float, max_age: float) -> bool:
    return sentinel.started is not None and now - sentinel.started <= max_age


def write_inflight(
    sentinels: "Iterable[Sentinel]", skill: str, session: str, pipeline: str, now: float
) -> InflightAnswer:
    """Put up the sign, or make it new."""
    known = tuple(sentinels)
    if not _SKILL.fullmatch(skill) or not _PIPELINE.fullmatch(pipeline):
        return InflightAnswer(BAD_CALL, known)
    others = clear_inflight(known, skill, pipeline).sentinels
    return InflightAnswer(0, (*others, Sentinel(skill, pipeline, session, now)))


def clear_inflight(sentinels: "Iterable[Sentinel]", skill: str, pipeline: str) -> InflightAnswer:
    """Take the sign down. Where there is none, that is well too."""
    known = tuple(sentinels)
    if not _SKILL.fullmatch(skill) or not _PIPELINE.fullmatch(pipeline):
        return InflightAnswer(BAD_CALL, known)
    return InflightAnswer(0, tuple(one for one in known if (one.skill, one.pipeline) != (skill, pipeline)))
