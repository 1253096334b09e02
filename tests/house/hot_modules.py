"""Which modules are hot: an agent or a person waits while they are imported. And what that may not cost.

A name stands for the module and all below it; `COLD_BELOW` are the parts of hot packages that only slow commands enter.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"

HOT = (
    *("planrail.base", "planrail.plans", "planrail.guard", "planrail.hook"),
    *(f"planrail.git.{name}" for name in ("embedded", "git", "git_writing", "loose_objects")),
    *(f"planrail.git.{name}" for name in ("outside_names", "snapshots", "status", "trailers")),
    *(f"planrail.projects.{name}" for name in ("listing", "memory_of_spellings", "next_step", "open_plan")),
    *(f"planrail.projects.{name}" for name in ("plan_proofs", "setting")),
    *(f"planrail.cli.{name}" for name in ("main", "screen", "hook", "list_command")),
    *(f"planrail.cli.lists.{name}" for name in ("plans_command", "plan_rows")),
    *(f"planrail.cli.plans.{name}_command" for name in ("next", "show", "set", "plans")),
    "planrail.cli.sessions.guard_command",
    # A change of a task has a bar, with its start.
    *(f"planrail.tasks.{name}" for name in ("book", "views", "context.context", "model", "numbers")),
    *(f"planrail.tasks.{name}" for name in ("priming", "statuses", "waves")),
    *(f"planrail.store.{name}" for name in ("claim_rules", "claims", "embedded", "facts", "failures", "ledger")),
    *(f"planrail.store.{name}" for name in ("owners", "places", "row_schema", "spool", "tables", "team")),
    # A run starts a process for each job.
    *(f"planrail.agents.{name}" for name in ("command", "drivers", "environment", "model", "processes", "runbook")),
    *(f"planrail.agents.{name}" for name in ("jobs.job_files", "jobs.runner_process", "running", "starting", "wires")),
    *("planrail.agents.confining", "planrail.git.tree_removal"),
    *(f"planrail.confine.{name}" for name in ("backends", "bubblewrap", "places", "policies")),
)
COLD_BELOW = ("planrail.plans.lint",)

# What no hot module imports at its top: each costs more than the module that would want it.
DEAR = {"argparse", "asyncio", "dataclasses", "difflib", "inspect", "logging", "pathlib", "sqlite3", "subprocess"}
DEAR |= {"tomllib", "typing", "urllib", "uuid", "yaml"}
# What reading a plan does without as well, and the hook beyond that.
DEAR_TO_READERS = DEAR - {"argparse"} | {"hashlib", "json", "tempfile"}  # a command has to read its arguments
DEAR_TO_HOOKS = DEAR | DEAR_TO_READERS | {"collections", "enum", "functools", "re", "shlex", "string"}


def is_hot(module: str) -> bool:
    """Whether a module is on the list. The packages above one that is are empty, and loaded with it."""
    return not _is_below(module, COLD_BELOW) and _is_below(module, HOT)


def _is_below(module: str, names: tuple[str, ...]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in names)


def list_sources() -> Iterator[tuple[str, Path]]:
    """Every module that is shipped, by its dotted name."""
    for path in sorted(SOURCE.rglob("*.py")):
        yield ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"), path


def imports_at_top(path: Path) -> set[str]:
    """The modules that a file imports when it is loaded itself: not in a function, not for types only."""
    found: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(name for name in inside if Path(SOURCE, *name.split(".")).with_suffix(".py").exists())
            found.add(node.module)
    return found


def run_bare(
    program: str, *arguments: str, data: str = "", environment: Mapping[str, str] | None = None
) -> tuple[str, set[str]]:
    """What a program prints in a bare interpreter, and the modules that it loads beyond those that it begins with."""
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r})\nbefore = set(sys.modules)\n{program}\n"
    code += "sys.stderr.write('\\n' + ' '.join(sorted(set(sys.modules) - before)))"
    command = [sys.executable, "-I", "-S", "-c", code, *arguments]
    done = subprocess.run(command, input=data, env=environment, capture_output=True, text=True, check=True)
    return done.stdout, set(done.stderr.rpartition("\n")[2].split())


def loaded_by(program: str) -> set[str]:
    """The modules that a program loads."""
    return run_bare(program)[1]


def loaded_by_command(*arguments: str, data: str = "") -> set[str]:
    """The modules that a command of planrail loads."""
    return run_bare("from planrail.cli.main import main\nmain(sys.argv[1:])", *arguments, data=data)[1]
