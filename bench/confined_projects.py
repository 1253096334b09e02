"""Do the tests of real projects pass confined as they do outside? Each is cloned at a commit, set up, and tested.

`python bench/confined_projects.py [--from URL] [NAME…]`; needs git, node, go, cargo, and the network for the set-up.
For each: what its tests say outside, and confined with a loopback of their own; with the network where that differs.
"""

import argparse
import os
import subprocess
import sys
import tempfile

from planrail.base.run_model import CheckOrder, CheckRun
from planrail.confine.backends import NONE, Backend
from planrail.confine.policies import LOOPBACK, ON
from planrail.confine.trials import find_backend
from planrail.runs.checks.enclosures import Enclosure
from planrail.runs.checks.environment import check_environment
from planrail.runs.checks.output import read_output
from planrail.runs.checks.running import run_check
from planrail.runs.evidence.results import read_results

_EXTRAS = f"{sys.executable} -m pip install -q --target .extras"
_PYTEST = f"PYTHONPATH=src:.extras {sys.executable} -m pytest -q -p no:cacheprovider"
_SECONDS = 600.0
# Repository: commit, how it is set up, how it is tested.
PROJECTS = {
    "pytest-dev/iniconfig": ("7190125", "true", _PYTEST),
    "pallets/itsdangerous": ("672971d", f"{_EXTRAS} freezegun", _PYTEST),
    "hukkin/tomli": ("920e20b", "true", f"PYTHONPATH=src {sys.executable} -m unittest"),
    "lukeed/mri": ("62b9ce4", "npm install --silent", "npm test"),
    "lukeed/clsx": ("684509c", "npm install --silent && npm run build", "npm test"),
    "pillarjs/send": ("092f3fc", "npm install --silent --omit=dev && npm i --silent mocha supertest after", "npm test"),
    "pytest-dev/pluggy": ("e382e72", "true", _PYTEST),
    "pallets/click": ("2c8cd3ac", "true", _PYTEST),
    "google/uuid": ("2d3c2a9", "true", "go test -v ./..."),
    "pkg/errors": ("87f8819", "go mod init github.com/pkg/errors", "go test -v ./..."),
    "servo/rust-fnv": ("4e55052", "true", "cargo test --offline"),
    "withoutboats/heck": ("252c190", "true", "cargo test --offline"),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/confined_projects.py", description=__doc__)
    parser.add_argument("--from", dest="source", default="https://github.com", help="where the repositories are")
    parser.add_argument("names", nargs="*", help="which; all of them, where none is named")
    given = parser.parse_args()
    print("| project | commit | outside | confined |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="planrail-projects-", dir="/var/tmp") as folder:
        for name in given.names or PROJECTS:
            print(f"| {name} | {PROJECTS[name][0]} | {' | '.join(_try(name, given.source, folder))} |", flush=True)
    return 0


def _try(name: str, source: str, folder: str) -> list[str]:
    commit, setup, tests = PROJECTS[name]
    place = os.path.join(folder, name)
    for command in (
        ["git", "clone", "-q", f"{source}/{name}", place],
        ["git", "-C", place, "checkout", "-q", commit],
        ["sh", "-c", f"cd {place} && {setup}"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return [f"not set up: {(done.stderr.strip().splitlines() or [''])[-1]}", ""]
    bare, found = Enclosure(Backend(NONE), "to compare"), list[CheckRun]()
    for way in (bare, *(Enclosure(find_backend(), network=network) for network in (LOOPBACK, ON))):
        log, environment = os.path.join(folder, "kept", f"{len(found)}.log"), check_environment(os.environ)
        found.append(run_check(CheckOrder(tests, 1, "tests"), place, "", environment, log, _SECONDS, way))
        if len(found) > 1 and found[-1].exit == found[0].exit:
            break
    return [_tell(found[0]), "; ".join(map(_tell, found[1:]))]


def _tell(run: CheckRun) -> str:
    tally = read_results(read_output(run) or "")
    told = f"{tally.passed or 0} passed, {tally.failed or 0} failed" if tally.is_known else f"exit {run.exit}"
    names = ", ".join(sorted(tally.failed_names)[:3])
    way = "" if run.confined.startswith(NONE) else f" ({run.confined})"
    return f"{told}{way}{f': {names}' if names else ''}"


if __name__ == "__main__":
    raise SystemExit(main())
