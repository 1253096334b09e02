"""Do the project's tests run on the base, and where? Tried in a private checkout, which is removed afterwards."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping

from planrail.ask.interruptions import interruptible
from planrail.base.records import record, replace
from planrail.base.run_model import CheckOrder, Workspace
from planrail.base.settings import Settings
from planrail.git.git_writing import ask_git, run_git
from planrail.git.tree_removal import remove_tree
from planrail.git.workspaces.workspaces import close_workspace, open_workspace
from planrail.runs.checks.check_places import choose_check_folder, make_check_folder
from planrail.runs.checks.output import read_output
from planrail.runs.checks.own_environments import is_environment, make_surroundings
from planrail.runs.checks.provisioning import fit
from planrail.runs.evidence.causes import first_cause, is_of_the_machine, why_uncollected
from planrail.runs.evidence.judging import TESTS
from planrail.runs.evidence.results import read_results
from planrail.runs.setup.detecting import ENVIRONMENTS, PYTHON_TEST, TELLING, TOOLS, Choice, MachineTools, SuiteCommand
from planrail.runs.setup.signs import NOT_OURS

_TOOLS = ("uv", "poetry", "pdm", "pipenv", *TOOLS)
_CACHES = ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".tox", ".nox", "dist", "build", "target")
_MOST_IGNORED = 2_000


@record
class BaseProof:
    """What the tests said on the base, in one environment."""

    tests: SuiteCommand
    choice: Choice
    collected: int | None = None  # None: the runner does not say
    is_passed: bool = False
    is_loaded: bool = False  # the tests ran, whatever they said
    cause: str = ""  # the line that says why not
    output: str = ""
    seconds: float = 0.0
    include: tuple[str, ...] = ()  # ignored files that they needed

    @property
    def needs_another(self) -> bool:
        """Whether another environment may do better."""
        return not self.is_passed and (not self.is_loaded or is_of_the_machine(self.output))

    @property
    def rank(self) -> tuple[bool, bool, int]:
        return self.is_passed, self.is_loaded, self.collected or 0


@record
class BaseFiles:
    """A project at its base: the paths of its files, the texts of the telling ones, and what it has beside."""

    root: str
    head: str
    files: frozenset[str]
    texts: Mapping[str, str]
    test_text: str
    around: MachineTools


def read_project(root: str, head: str, environment: Mapping[str, str]) -> BaseFiles:
    files = frozenset(filter(None, run_git(root, "ls-tree", "-r", "-z", "--name-only", head).split("\0")))
    texts = {name: ask_git(root, "show", f"{head}:{name}") or "" for name in TELLING if name in files}
    own = (path for path in sorted(files) if PYTHON_TEST.search(path) and not NOT_OURS & set(path.split("/")))
    test = next(own, "")
    folders = tuple(name for name in ENVIRONMENTS if is_environment(os.path.join(root, name)))
    active = environment.get("VIRTUAL_ENV", "")
    is_own = any(os.path.realpath(active) == os.path.realpath(os.path.join(root, name)) for name in folders)
    programs = frozenset(name for name in _TOOLS if shutil.which(name, path=environment.get("PATH")))
    around = MachineTools(folders, "" if is_own or not is_environment(active) else active, programs)
    return BaseFiles(root, head, files, texts, ask_git(root, "show", f"{head}:{test}") or "" if test else "", around)


def list_ignored(root: str) -> list[str]:
    """The files of the checkout that git ignores, without environments, packages and caches."""
    told = ask_git(root, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory") or ""
    found = []
    for entry in filter(None, told.split("\0")):
        parts = entry.rstrip("/").split("/")
        if not {*parts} & {*_CACHES, *NOT_OURS, *ENVIRONMENTS} and not entry.endswith((".pyc", ".egg-info/")):
            inside = os.walk(os.path.join(root, entry)) if entry.endswith("/") else ()
            found += [os.path.relpath(os.path.join(place, name), root) for place, _, names in inside for name in names]
            found += [] if entry.endswith("/") else [entry]
        if len(found) > _MOST_IGNORED:
            break
    return found[:_MOST_IGNORED]


def try_tests(
    project: BaseFiles, settings: Settings, tests: SuiteCommand, choice: Choice, include: tuple[str, ...] = ()
) -> BaseProof:
    """Run the tests on the base, as a run with these settings would."""
    run = replace(settings.run, include=[*settings.run.include, *include])
    run = replace(run, **{name.removeprefix("run."): said for name, said in choice.settings})
    proof = BaseProof(tests, choice, include=include)
    with _open_checkout(project, run.workspaces) as (workspace, outputs):
        given = make_surroundings(project.root, run, os.environ)
        fitted = fit(project.root, workspace, run, given, os.path.join(outputs, "provision.log"))
        if fitted.made.problem:
            return replace(proof, cause=fitted.made.problem.partition(" (`")[0])
        order, seconds = CheckOrder(tests.command, 0, TESTS), settings.testing.timeout * 60
        tree = run_git(project.root, "rev-parse", f"{project.head}^{{tree}}").strip()
        checked = fitted.run((order,), project.head, tree, outputs, seconds, lambda: (), is_exact=True).runs[0]
        output = read_output(checked) or checked.tail
    proof = replace(proof, output=output, seconds=checked.seconds)
    tally, why = read_results(output), why_uncollected(checked.exit, output)
    if checked.exit < 0:
        return replace(proof, cause=f"the tests ran out of time after {checked.seconds:.0f} s ([testing] timeout)")
    counts = [count for count in (tally.passed, tally.failed, tally.skipped) if count is not None]
    collected = sum(counts) if tally.is_known and tally.passed is not None else None
    if why or tally.ran_nothing:
        return replace(proof, collected=0, cause=why or "not one test was run")
    is_passed = checked.exit == 0
    cause = "" if is_passed else first_cause(output) or f"`{tests.command}` ended with {checked.exit}, and said nothing"
    return replace(proof, collected=collected, is_passed=is_passed, is_loaded=is_passed or tally.is_known, cause=cause)


@contextlib.contextmanager
def _open_checkout(project: BaseFiles, workspaces: str) -> Iterator[tuple[Workspace, str]]:
    """The base, and a folder for what is printed. A signal that ends planrail removes both."""
    folder = choose_check_folder(workspaces, f"setup-{os.getpid()}-")
    with interruptible(), tempfile.TemporaryDirectory(prefix="planrail-") as outputs:
        place, index = os.path.join(folder, "room"), os.path.join(outputs, "index")
        try:
            make_check_folder(folder)
            yield open_workspace(project.root, place, project.head, index), outputs
        finally:
            close_workspace(place, index=index)
            remove_tree(folder)
