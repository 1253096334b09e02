"""Public projects from package registries are set up without a word by hand, and their suites say on the base what the
projects' own instructions make them say: the figures were taken in a fresh copy, by `tox -e py`, `npm install && npm test`,
`go test ./...` and `cargo test`."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.soak

# The registry, the name, the version, and how many tests there are; go does not say.
_PROJECTS = (
    ("pip", "humanize", "4.16.0", 784),
    ("pip", "cachetools", "8.0.0", 416),
    ("pip", "tabulate", "0.10.0", 335),
    ("pip", "itsdangerous", "2.2.0", 297),
    ("pip", "python-slugify", "9.1.3", 133),
    ("npm", "fastq", "1.20.3", 274),
    ("npm", "@fastify/error", "4.2.1", 29),
    ("npm", "minimist", "1.2.8", 153),
    ("go", "golang-github-google-uuid-dev", "1.3.0-1", None),
    ("cargo", "librust-strsim-dev", "0.10.0-1", 107),
)
_FETCH = {
    "pip": (sys.executable, "-m", "pip", "download", "-q", "--no-binary", ":all:", "--no-deps", "{name}=={version}"),
    "npm": ("npm", "pack", "--silent", "{name}@{version}"),
    **dict.fromkeys(("go", "cargo"), ("apt-get", "download", "-q", "{name}={version}")),
}


def fetch(registry: str, name: str, version: str, place: Path) -> Path:
    """The sources of a project in a repository of their own; the test is skipped where they are not to be had."""
    if any(shutil.which(tool) is None for tool in (registry, _FETCH[registry][0])):
        pytest.skip(f"{registry} is not here")
    place.mkdir()
    asked = [word.format(name=name, version=version) for word in _FETCH[registry]]
    done = subprocess.run(asked, cwd=place, capture_output=True, text=True)
    archives = list(place.iterdir())
    if done.returncode or len(archives) != 1:
        pytest.skip(f"{name} {version} is not offered: {done.stderr.strip()[-200:]}")
    # as one's own files, also for root: git leaves alone what belongs to others
    packed = str(archives[0])
    unpack = ["dpkg", "-x", packed, "."] if archives[0].suffix == ".deb" else ["tar", "--no-same-owner", "-xf", packed]
    subprocess.run(unpack, cwd=place, check=True)
    marker = {"pip": "PKG-INFO", "npm": "package.json", "go": "go.mod", "cargo": "Cargo.toml"}[registry]
    root = min(place.rglob(marker), key=lambda path: len(path.parts)).parent
    for words in ("init -q", "config user.name me", "config user.email me@localhost", "add -A", "commit -qm base"):
        subprocess.run(["git", *words.split()], cwd=root, check=True)
    return root


@pytest.mark.parametrize(("registry", "name", "version", "count"), _PROJECTS, ids=[row[1] for row in _PROJECTS])
def test_a_public_project_is_set_up_right(
    registry: str, name: str, version: str, count: int | None, tmp_path: Path
) -> None:
    root = fetch(registry, name, version, tmp_path / "fetched")
    own = os.path.dirname(sys.executable)  # where planrail is installed is no environment of that project
    path = os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if part != own)
    environment = {**os.environ, "PATH": path, "VIRTUAL_ENV": ""}
    words = [sys.executable, "-m", "planrail", "setup", "--yes", "--json"]
    done = subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True)
    told = json.loads(done.stdout)
    assert (told["suite"], told["cause"]) == ({"collected": count, "passed": True}, None), told
    assert (done.returncode, told["written"]) == (0, True)
    assert subprocess.check_output(["git", "status", "--porcelain"], cwd=root) == b""
