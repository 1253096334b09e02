"""Judge an answer to a phase of planning: is what the phase asks for there, and nothing that comes later?"""

import os
import sys
from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.settings import load_settings
from planrail.base.wording import Answer, pick, quote
from planrail.cli.screen import warn
from planrail.git.git import DiskSurroundings
from planrail.git.working_files import open_folder, open_tree
from planrail.planning.answers.judging import PHASES, SECTIONS, Bar, judge
from planrail.planning.answers.questions import judge_content
from planrail.planning.answers.substance import Subject
from planrail.planning.answers.words import words_from
from planrail.planning.asks import ASKED
from planrail.planning.machine import DRAFT, WRITING
from planrail.planning.planning import plan_said
from planrail.planning.principles import refuted_by
from planrail.plans.files.cited_files import count_files, open_root
from planrail.plans.lint.rules import lint
from planrail.plans.reading import read
from planrail.plans.text.source import load

_ENOUGH_FILES = 2  # more need not be counted: a repository with fewer is excused from citing as many


def configure(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="judge an answer from standard input", description=__doc__)
    check.add_argument("phase", metavar="PHASE", choices=PHASES, help=", ".join(PHASES))
    check.add_argument("--json", action="store_true", help="print JSON")
    check.add_argument("--promise", metavar="TEXT", default="PLAN_OK", help="what the author promises at the end")
    check.add_argument("--sections", metavar="NAMES", help="the sections that a plan must have, with commas between")
    check.add_argument("--final", action="store_true", help="this is the last phase: the promise belongs here")
    check.add_argument("--root", metavar="DIR", help="where cited files have to be")
    check.add_argument("--open", action="store_true", help="an open critique, without the principles")
    check.add_argument("--plan", metavar="FILE", help="the plan under critique: it is spoken of, and lint is heard")
    check.add_argument("--request", metavar="TEXT", default="", help="what is to be planned: the answer is about it")


def run(arguments: Namespace) -> Answer:
    bar = _bar(arguments)
    if sys.stdin.isatty():
        warn("type or paste the answer, then Ctrl-D")
    text = sys.stdin.buffer.read().decode("utf-8", errors="replace")
    problems = judge(arguments.phase, text, bar)
    if arguments.phase in WRITING:
        plan, said = plan_said(text, bar)  # in a fence, perhaps: as a planning takes it
        problems = problems and judge(arguments.phase, said, bar)
        problems += judge_content(plan, bar) if arguments.phase == DRAFT and not problems else []
    listed = [pick(problem, "rule message") for problem in problems]
    lines = [f"{problem.rule}: {problem.message}" for problem in problems] or [f"good enough for {arguments.phase}"]
    following = PHASES[(PHASES.index(arguments.phase) + 1) % len(PHASES)]
    command = "planrail lint PLAN" if arguments.phase == "revise" else f"planrail author check {following} < TEXT"
    command = f"{_call(arguments)} < TEXT   (with these fixed)" if problems else command
    return Answer({"ok": not problems, "problems": listed}, lines, command=command, code=1 if problems else 0)


def _bar(arguments: Namespace) -> Bar:
    exists, file_count = None, None
    if arguments.root is not None:
        exists, file_count = open_root(arguments.root), count_files(arguments.root, _ENOUGH_FILES)
    plan = load(arguments.plan).text if arguments.plan else ""
    return Bar(
        promise=arguments.promise,
        sections=_sections(arguments.sections),
        is_final=arguments.final,
        open_critique=arguments.open,
        exists=exists,
        file_count=file_count,
        refuted=_refuted(arguments) if arguments.plan is not None else {},
        words=words_from(load_settings(arguments.root or os.getcwd()).planning.words),
        subject=Subject(arguments.request, ASKED[arguments.phase], plan=plan),
    )


def _sections(names: str | None) -> tuple[str, ...]:
    if names is None:
        return SECTIONS
    sections = tuple(name for part in names.split(",") if (name := part.strip()))
    if not sections:
        raise UsageError("no section is named", remedy='name some: --sections "Goal,Steps"')
    return sections


def _refuted(arguments: Namespace) -> dict[str, str]:
    source = load(arguments.plan)
    tree = open_folder(arguments.root) if arguments.root is not None else open_tree(arguments.plan)
    settings = load_settings(tree.root if tree else None).lint
    plan = read(source, DiskSurroundings(source.path))
    return refuted_by(lint(source, plan, settings=settings, tree=tree, principles=True))


def _call(arguments: Namespace) -> str:
    parts = ["planrail author check", arguments.phase]
    parts += ["--final"] if arguments.final else []
    parts += ["--open"] if arguments.open else []
    for name in ("sections", "root", "plan", "request"):
        value = getattr(arguments, name)
        parts += [f"--{name}", quote(value)] if value else []
    parts += ["--promise", quote(arguments.promise)] if arguments.promise != "PLAN_OK" else []
    return " ".join(parts)
