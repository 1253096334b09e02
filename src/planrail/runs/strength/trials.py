"""New and changed tests have to fail on the old code: how each of them is run alone, and what its answer means."""

import re
import shlex
from collections.abc import Mapping, Sequence

from planrail.base.json_reading import object_in, read_object
from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.base.run_model import CheckRun, Finding
from planrail.runs.strength.blocks import read_blocks

_PYTEST = pattern(r"(?:^|[;&|(]\s*|\n\s*)((?:[\w./-]+(?: run)? (?:-m )?)*?(?:[\w./-]*/)?pytest)(?=\s|$)")
_UNITTEST = pattern(r"(?:^|[;&|(]\s*|\n\s*)((?:[\w./-]+(?: run)? )*?[\w./-]*python[\d.]* -m unittest)(?=\s|$)")
_SCRIPTS = ("js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts")
_CANNOT_RUN = (4, 5, 126, 127)  # of the shell, and pytest's words for "no such file" and "no test in it"
_NO_RUNNER = pattern(
    r"No module named (?:pytest|unittest)|command not found|could not determine executable|not recognized"
)


@record
class Trial:
    """A test file and the command that runs it alone; "" where planrail knows none."""

    path: str
    command: str


def tests_to_try(texts: Mapping[str, str], commands: Sequence[str], manifests: Mapping[str, str]) -> list[Trial]:
    """How each of these test files is run by itself.

    `commands` are the project's own (its tests, the checks of the phase), from which runners are taken; `manifests`
    are the texts of package.json and the like, by path, as the base has them.
    """
    return [Trial(path, _command(path, text, list(commands), manifests)) for path, text in sorted(texts.items())]


def judge_trials(trials: Sequence[tuple[Trial, CheckRun | None]], *, only_tests: bool) -> list[Finding]:
    """What follows from tests that were run with the old code. `only_tests`: the phase changed nothing but tests."""
    found = []
    for trial, run in trials:
        if run is None or run.exit in _CANNOT_RUN or (run.exit and _NO_RUNNER.search(run.tail)):
            text = "planrail could not run this test alone, so nobody knows whether it fails on the old code"
            found.append(Finding("untried", text, trial.path, is_failure=False))
        elif run.exit < 0:
            text = "with the old code this test ran out of time"
            found.append(Finding("untried", text, trial.path, is_failure=False))
        elif not run.exit:
            text = "the test passes with the old code as well: it cannot tell the work from the base"
            found.append(Finding("cannot_fail", text, trial.path, is_failure=not only_tests))
    return found


def _command(path: str, text: str, commands: list[str], manifests: Mapping[str, str]) -> str:
    suffix = path.rpartition(".")[2].lower()
    quoted = shlex.quote(path if not path.startswith("-") else f"./{path}")
    if suffix == "py":
        return _python(path, text, commands, quoted)
    if suffix in _SCRIPTS:
        return _script(path, text, commands, manifests, quoted)
    if suffix == "rs":
        match = re.fullmatch(r"(?P<crate>.*?/)?tests/(?P<name>\w+)\.rs", path)
        where = f" --manifest-path {shlex.quote(match['crate'] + 'Cargo.toml')}" if match and match["crate"] else ""
        return f"cargo test{where} --test {match['name']}" if match else ""
    if suffix == "go":
        names = [name for name in read_blocks(path, text) if name.startswith("Test")]
        folder, wanted = shlex.quote(f"./{path.rpartition('/')[0]}"), shlex.quote(f"^({'|'.join(names)})$")
        return f"go test -count=1 {folder} -run {wanted}" if names else ""
    name = path.rpartition("/")[2]
    is_alone = name.endswith("_spec.rb") if suffix == "rb" else suffix not in ("sh", "bash") or "test" in name
    return _OTHERS.get(suffix, "").format(quoted) if is_alone else ""


_OTHERS = {
    "rb": "bundle exec rspec {0}",
    "php": "vendor/bin/phpunit {0}",
    "exs": "mix test {0}",
    "bats": "bats {0}",
    "dart": "dart test {0}",
    "t": "prove {0}",
    "sh": "sh {0}",
    "bash": "bash {0}",
}


def _python(path: str, text: str, commands: list[str], quoted: str) -> str:
    name = path.rpartition("/")[2]
    if not (name.startswith("test") or name.endswith(("_test.py", "_tests.py"))):
        return ""
    for command in commands:
        if match := _PYTEST.search(command):
            return f"{match[1]} -q {quoted}"
    if "pytest" not in text and "unittest" in text:
        runner = next((match[1] for command in commands if (match := _UNITTEST.search(command))), "python3 -m unittest")
        return f"{runner} {quoted}"
    return f"python3 -m pytest -q {quoted}"


def _script(path: str, text: str, commands: list[str], manifests: Mapping[str, str], quoted: str) -> str:
    if not re.search(r"[.-](?:test|spec)\.|__tests__/|(?:^|/)test[-_]", path):
        return ""
    folder, package = path, None
    while folder and package is None:
        folder = folder.rpartition("/")[0]
        package = manifests.get(f"{folder}/package.json" if folder else "package.json")
    found = read_object((package or "").encode())
    known = {**object_in(found, "dependencies"), **object_in(found, "devDependencies")}
    runner = next((command for name, command in _RUNNERS.items() if name in known), "")
    if runner:
        return f"npx --no-install {runner} {quoted}"
    if "node:test" in text or any("node --test" in command for command in commands):
        return f"node --test {quoted}"
    return ""


_RUNNERS = {"vitest": "vitest run", "jest": "jest", "mocha": "mocha", "ava": "ava"}
