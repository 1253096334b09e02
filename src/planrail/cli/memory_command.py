"""What earlier plannings and runs of this project taught: listed, ranked for a task, or forgotten."""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.wording import Answer, clip, paint, plural, quote
from planrail.git.git import top_level
from planrail.memory.lessons import Lesson
from planrail.memory.store import Memory, change, clear, describe_origin, load, look, put_aside, rank, strength, to_json


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=("list", "clear", "forget"), default="list", help="(list)")
    parser.add_argument("ids", metavar="ID", nargs="*", help="the lessons to forget")
    parser.add_argument("--for", metavar="TEXT", dest="task", help="only what a planning of this task would be shown")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    _check(arguments)
    from planrail.planning.plannings import memory_file

    folder = os.getcwd()
    path = memory_file(top_level(folder) or folder)
    if arguments.action == "list":
        return _list(path, arguments.task)
    if arguments.action == "forget":
        return _forget(path, set(arguments.ids))
    number = clear(path)
    text = f"{plural(number, 'lesson')} forgotten" if number else "There was nothing to forget."
    return Answer({"forgotten": number}, [text], command="planrail plan 'WHAT YOU WANT'")


def _check(arguments: Namespace) -> None:
    if arguments.action != "list" and arguments.task is not None:
        raise UsageError("--for goes with the list alone", remedy=f"planrail memory --for {quote(arguments.task)}")
    if arguments.action == "forget" and not arguments.ids:
        raise UsageError("which lesson is to be forgotten?", remedy="planrail memory   (each line begins with its id)")
    if arguments.action != "forget" and arguments.ids:
        raise UsageError(
            f"{arguments.action} takes no {arguments.ids[0]!r}", remedy=f"planrail memory {arguments.action}"
        )


def _list(path: str, task: str | None) -> Answer:
    memory, aside = look(path), put_aside(path)
    now = memory.plannings + 1
    if task is None:
        chosen = sorted(memory.lessons, key=lambda lesson: (-strength(lesson, now), lesson.id))
    else:
        chosen = rank(memory.lessons, task, now=now)
    described = [{**to_json(lesson), "strength": round(strength(lesson, now), 3)} for lesson in chosen]
    known = {"path": path, "plannings": memory.plannings, "lessons": described}
    lines = [_line(lesson) for lesson in chosen]
    if memory.damage:
        lines.append(paint(f"✖ {memory.damage}; the next planning puts it aside and goes on", "red"))
    lines += [paint(f"✖ a damaged file was put aside: {path}", "yellow") for path in aside]
    lines.append(_summary(memory, chosen, task))
    plan = f"planrail plan {quote(task or 'WHAT YOU WANT')}"
    command = "planrail memory --for 'WHAT YOU WANT TO PLAN'" if task is None and chosen else plan
    return Answer({**known, "damage": memory.damage or None, "put_aside": aside}, lines, command=command)


def _line(lesson: Lesson) -> str:
    principle = f"{lesson.principle} " if lesson.principle else ""
    faded = f" · shown {lesson.shown} times since" if lesson.shown else ""
    title = f" · {clip(lesson.title, 60)}" if lesson.title else ""
    head = f"{paint(lesson.id, 'cyan')} {paint(principle, 'bold')}“{clip(lesson.text, 200)}”"
    return f"{head}\n           {paint(describe_origin(lesson) + faded + title, 'dim')}"


def _summary(memory: Memory, chosen: list[Lesson], task: str | None) -> str:
    if not memory.lessons:
        return "Nothing was learned yet: lessons come from the FAIL items of critiques, and from runs."
    known = plural(len(memory.lessons), "lesson")
    if task is not None:
        return f"\n{len(chosen)} of {known} would be shown" if chosen else f"None of {known} concerns this task."
    return f"\n{known} from {plural(memory.plannings, 'planning')}"


def _forget(path: str, wanted: set[str]) -> Answer:
    unknown = sorted(wanted - {lesson.id for lesson in load(path)})
    if unknown:
        raise UsageError(f"there is no lesson {unknown[0]!r}", remedy="planrail memory")
    change(path, lambda lessons: [lesson for lesson in lessons if lesson.id not in wanted])
    text = f"{plural(len(wanted), 'lesson')} forgotten"
    return Answer({"forgotten": len(wanted)}, [text], command="planrail memory")
