"""What earlier plannings and runs of this project taught: listed, ranked for a task, or forgotten."""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.wording import clip, paint, quote
from planrail.cli.screen import print_json, print_next, say
from planrail.git.git import top_level
from planrail.memory.lessons import Lesson
from planrail.memory.recalling import describe_origin, rank, strength
from planrail.memory.store import Memory, change, clear, load, look, put_aside, to_json


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", nargs="?", choices=("list", "clear", "forget"), default="list", help="(list)")
    parser.add_argument("ids", metavar="ID", nargs="*", help="the lessons to forget")
    parser.add_argument("--for", metavar="TEXT", dest="task", help="only what a planning of this task would be shown")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    """List the lessons, or forget some or all of them."""
    _check(arguments)
    path = _place()
    if arguments.action == "list":
        return _list(path, arguments)
    return _clear(path, arguments) if arguments.action == "clear" else _forget(path, arguments)


def _check(arguments: Namespace) -> None:
    if arguments.action != "list" and arguments.task is not None:
        raise UsageError("--for goes with the list alone", remedy=f"planrail memory --for {quote(arguments.task)}")
    if arguments.action == "forget" and not arguments.ids:
        raise UsageError("which lesson is to be forgotten?", remedy="planrail memory   (each line begins with its id)")
    if arguments.action != "forget" and arguments.ids:
        raise UsageError(
            f"{arguments.action} takes no {arguments.ids[0]!r}", remedy=f"planrail memory {arguments.action}"
        )


def _place() -> str:
    from planrail.planning.lessons import memory_file

    folder = os.getcwd()
    return memory_file(top_level(folder) or folder)


def _list(path: str, arguments: Namespace) -> int:
    memory = look(path)
    now = memory.plannings + 1
    if arguments.task is None:
        chosen = sorted(memory.lessons, key=lambda lesson: (-strength(lesson, now), lesson.id))
    else:
        chosen = rank(memory.lessons, arguments.task, now=now)
    aside = put_aside(path)
    if arguments.json:
        described = [{**to_json(lesson), "strength": round(strength(lesson, now), 3)} for lesson in chosen]
        known = {"path": path, "plannings": memory.plannings, "lessons": described}
        print_json({**known, "damage": memory.damage or None, "put_aside": aside})
    else:
        _print(memory, chosen, aside, arguments.task)
    return 0


def _print(memory: Memory, chosen: list[Lesson], aside: list[str], task: str | None) -> None:
    for lesson in chosen:
        say(_line(lesson))
    if memory.damage:
        say(paint(f"✖ {memory.damage}; the next planning puts it aside and goes on", "red"))
    for path in aside:
        say(paint(f"✖ a damaged file was put aside: {path}", "yellow"))
    say(_summary(memory, chosen, task))
    if task is None and chosen:
        print_next("planrail memory --for 'WHAT YOU WANT TO PLAN'")
    else:
        print_next(f"planrail plan {quote(task or 'WHAT YOU WANT')}")


def _line(lesson: Lesson) -> str:
    principle = f"{lesson.principle} " if lesson.principle else ""
    faded = f" · shown {lesson.shown} times since" if lesson.shown else ""
    title = f" · {clip(lesson.title, 60)}" if lesson.title else ""
    head = f"{paint(lesson.id, 'cyan')} {paint(principle, 'bold')}“{clip(lesson.text, 200)}”"
    return f"{head}\n           {paint(describe_origin(lesson) + faded + title, 'dim')}"


def _summary(memory: Memory, chosen: list[Lesson], task: str | None) -> str:
    if not memory.lessons:
        return "Nothing was learned yet: lessons come from the FAIL items of critiques, and from runs."
    known = _count(len(memory.lessons), "lesson")
    if task is not None:
        return f"\n{len(chosen)} of {known} would be shown" if chosen else f"None of {known} concerns this task."
    return f"\n{known} from {_count(memory.plannings, 'planning')}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _clear(path: str, arguments: Namespace) -> int:
    number = clear(path)
    if arguments.json:
        print_json({"forgotten": number})
        return 0
    say(f"{_count(number, 'lesson')} forgotten" if number else "There was nothing to forget.")
    print_next("planrail plan 'WHAT YOU WANT'")
    return 0


def _forget(path: str, arguments: Namespace) -> int:
    wanted = set(arguments.ids)
    unknown = sorted(wanted - {lesson.id for lesson in load(path)})
    if unknown:
        raise UsageError(f"there is no lesson {unknown[0]!r}", remedy="planrail memory")
    change(path, lambda lessons: [lesson for lesson in lessons if lesson.id not in wanted])
    if arguments.json:
        print_json({"forgotten": len(wanted)})
        return 0
    say(f"{_count(len(wanted), 'lesson')} forgotten")
    print_next("planrail memory")
    return 0
