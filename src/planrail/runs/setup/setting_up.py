"""Set a project up for runs: find its environment and its test command, prove both on the base, write them down."""

import os
from collections.abc import Callable, Sequence

from planrail.approval.channels import ChannelRefusal
from planrail.approval.person import find_person
from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.base.settings import FILE_NAME, Settings, load_settings
from planrail.base.settings.tables import NO_TESTS
from planrail.base.whole_files import read_whole, write_whole
from planrail.base.wording import clean, plural
from planrail.git.exact_commits import commit_paths
from planrail.git.git_writing import ask_git
from planrail.projects.settings_writing import set_value, spell_value
from planrail.runs.evidence.causes import SAY_COMMAND, name_repair
from planrail.runs.setup.detecting import Choice, SuiteCommand, detect_tests, find_mentioned, list_choices
from planrail.runs.setup.signs import find_test, read_signs
from planrail.runs.setup.trying import BaseFiles, BaseProof, list_ignored, read_project, try_tests
from planrail.runs.steps.lines import repository_lock

_MOST_TRIALS = 8
Tell = Callable[[str], None]


@record
class Setup:
    """What was found: the proof, or why there is none; and the settings that are still to be written."""

    project: BaseFiles
    proof: BaseProof | None  # None: there are no tests, or nobody knows how they are run
    cause: str = ""
    repair: str = ""  # after which it is tried again
    changes: tuple[tuple[str, object], ...] = ()  # each with its table: testing.command

    @property
    def is_broken(self) -> bool:
        """Whether nothing can be built on this base; tests that run and fail are no reason."""
        return bool(self.cause) and (self.proof is None or not self.proof.is_loaded)

    @property
    def may_write(self) -> bool:
        """Whether the settings are right as far as anybody can tell."""
        return bool(self.changes) and not self.is_broken

    @property
    def advice(self) -> str:
        return f"{self.repair}, then: planrail setup" if self.repair else ""

    def describe(self, *, is_written: bool) -> dict[str, object]:
        proof = self.proof
        suite = {"collected": proof.collected, "passed": proof.is_passed} if proof is not None else None
        return {
            "test_command": proof.tests.command if proof is not None else None,
            "environment": proof.choice.environment if proof is not None else None,
            "suite": suite or {"collected": None, "passed": None},
            "cause": self.cause or None,
            "repair": self.advice or None,
            "changes": dict(self.changes),
            "settings": FILE_NAME,
            "written": is_written,
        }


def set_up_with_person(root: str, tell: Tell, agents: Sequence[str] = ()) -> Setup:
    """The same; where the tests do not run, the person at this terminal is asked for their command."""
    setup = set_up(root, tell)
    while setup.is_broken and (command := _ask_command(setup, agents)):
        setup = set_up(root, tell, command)
    return setup


def set_up(root: str, tell: Tell, command: str = "") -> Setup:
    """Look, try and propose; nothing is written. What a person says, here or in the settings, is tried as it is."""
    head = (ask_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") or "").strip()
    if not head:
        raise PlanrailError("there is no commit on which tests could run", remedy="git init, and commit something")
    settings = load_settings(root, committed=ask_git(root, "show", f"{head}:{FILE_NAME}"))
    project, said = read_project(root, head, os.environ), command or settings.testing.command.strip()
    found = detect_tests(project.files, project.texts, project.test_text)
    if said == NO_TESTS or (not said and not found):
        return _without_tests(project, settings, said)
    if said:
        known = next((one for one in found if one.command == said), None)
        is_python = any(one.is_python for one in found)
        found = (known or SuiteCommand(said, found[0].environment if found else "a plain checkout", is_python),)
    proof = _prove(project, settings, found, tell)
    repair = name_repair(proof.cause) if proof.cause else ""
    return Setup(project, proof, proof.cause, repair, _list_changes(settings, _list_wanted(settings, proof)))


def _without_tests(project: BaseFiles, settings: Settings, said: str) -> Setup:
    shown = "" if said else find_test(*read_signs(project.root, project.head))
    if shown:
        text = f"the project has tests ({shown}), and planrail does not know how they are run"
        return Setup(project, None, text, f'{SAY_COMMAND} ("{NO_TESTS}": run none)')
    return Setup(project, None, changes=_list_changes(settings, [("testing.command", said)]))


def _prove(project: BaseFiles, settings: Settings, found: Sequence[SuiteCommand], tell: Tell) -> BaseProof:
    """The first proof in which the tests pass, or load; else the best. Then once more with ignored files they name."""
    proofs: list[BaseProof] = []
    for tests, choice in _list_trials(project, settings, found)[:_MOST_TRIALS]:
        if proofs:  # why that was not the last; of the one that counts it is told with what was found
            tell(f"  {proofs[-1].cause}")
        tell(f"`{tests.command}` on the base, in {choice.environment} …")
        proofs.append(try_tests(project, settings, tests, choice))
        if not proofs[-1].needs_another:
            break
    best = max(proofs, key=lambda proof: proof.rank)
    for proof in () if best.is_passed else sorted(proofs, key=lambda one: one.rank, reverse=True):
        named = tuple(find_mentioned(list_ignored(project.root), proof.output)) if proof.output else ()
        if named:
            tell(f"the same with {', '.join(named)}, which git ignores and the tests name …")
            again = try_tests(project, settings, proof.tests, proof.choice, named)
            return max((best, again), key=lambda one: one.rank)
    return best


def _list_trials(
    project: BaseFiles, settings: Settings, found: Sequence[SuiteCommand]
) -> list[tuple[SuiteCommand, Choice]]:
    """Each command in each environment that may do; what a person has set is not tried otherwise."""
    run = settings.run
    if run.provision or run.environment:
        return [(tests, Choice(run.environment or "as [run] provision makes it")) for tests in found]
    choices = [list_choices(tests, project.files, project.texts, project.around) for tests in found]
    return [(tests, choice) for tests, options in zip(found, choices, strict=True) for choice in options]


def _list_wanted(settings: Settings, proof: BaseProof) -> list[tuple[str, object]]:
    wanted: list[tuple[str, object]] = [("testing.command", proof.tests.command), *proof.choice.settings]
    return wanted + ([("run.include", [*settings.run.include, *proof.include])] if proof.include else [])


def _list_changes(settings: Settings, wanted: Sequence[tuple[str, object]]) -> tuple[tuple[str, object], ...]:
    return tuple((name, said) for name, said in wanted if _read(settings, name) != said)


def _read(settings: Settings, name: str) -> object:
    table, _, key = name.partition(".")
    return getattr(getattr(settings, table), key)


def render_changes(setup: Setup) -> list[str]:
    named = [(*name.split("."), said) for name, said in setup.changes]
    return [f"[{table}] {key} = {spell_value(said)}" for table, key, said in named]


def render_setup(setup: Setup) -> list[str]:
    proof, changes = setup.proof, "; ".join(render_changes(setup))
    changes = changes if setup.may_write or not changes else "nothing is written while the tests do not run"
    lines = ["tests        nobody knows how they are run" if setup.cause else "tests        none"]
    if proof is not None:
        own = "" if "testing.command" in dict(setup.changes) else " ([testing] command)"
        lines = [f"environment  {proof.choice.environment}", f"tests        {proof.tests.command}{own}"]
        lines.append(f"on the base  {_render_result(proof)}")
    return [*lines, f"settings     {changes or 'nothing has to be written'}"]


def _render_result(proof: BaseProof) -> str:
    said, took = "passed" if proof.is_passed else "failed", f" ({proof.seconds:.1f} s)"
    if proof.collected:
        return f"{plural(proof.collected, 'test')}, {said}{took}"
    if not proof.output or proof.collected == 0:
        return f"not run{took}"
    return f"{said}{took}; how many tests ran cannot be read from what it prints"


def _ask_command(setup: Setup, agents: Sequence[str]) -> str:
    terminal = find_person().open_terminal(agents)
    if isinstance(terminal, ChannelRefusal):
        return ""
    try:
        terminal.say(clean(setup.cause))
        asked = f"how are the tests run? Type the command ({NO_TESTS}: run none; nothing: stop): "
        return terminal.ask(asked).strip()
    finally:
        terminal.close()


def ask_to_write(lines: Sequence[str], agents: Sequence[str] = ()) -> bool | None:
    """Whether the person at this terminal wants the settings written and committed; None where there is none."""
    terminal = find_person().open_terminal(agents)
    if isinstance(terminal, ChannelRefusal):
        return None
    try:
        terminal.say(clean("\n".join(lines)))
        return terminal.ask(f"write that into {FILE_NAME}, and commit it? [y/N] ").strip().lower() in ("y", "yes")
    finally:
        terminal.close()


def write_settings(setup: Setup) -> None:
    """Write what was found into the project's settings, and commit that file alone."""
    root = setup.project.root
    path = os.path.join(root, FILE_NAME)
    before = (read_whole(path) or b"").decode()
    if before != (ask_git(root, "show", f"HEAD:{FILE_NAME}") or "") or os.path.islink(path):
        raise PlanrailError(
            f"{FILE_NAME} has edits that are not committed; nothing was written",
            remedy=f"git add {FILE_NAME} && git commit -m 'Settings of runs' {FILE_NAME}, then: planrail setup",
        )
    text = before
    for name, said in setup.changes:
        table, _, key = name.partition(".")
        text = set_value(text, table, key, said)
    write_whole(path, text, mode=os.stat(path).st_mode & 0o777 if before else 0o644)
    message = "Say how the tests of this project are run\n\n" + "\n".join(render_changes(setup))
    commit_paths(root, repository_lock(root), [FILE_NAME], message, reason="planrail setup")
