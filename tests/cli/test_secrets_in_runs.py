"""Secrets that agents and checks print reach no file of planrail's and no screen, and none lands with the work."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from planrail.runs.evidence.secrets import Ground, find_landing_secrets, fingerprint
from tests.cli.run_projects import make_project
from tests.support.lanes import soak
from tests.support.patience import PATIENCE

# Put together here and by the programs that print them, so that no file holds one before it is printed.
_PEM = ["-----BEGIN RSA PRIVATE ", "KEY-----", "\n", *[f"MIIEow{number}" + "Ab3" * 18 + "\n" for number in range(6)]]
SECRETS = {
    "github": ["ghp_", "a1B2" * 9],
    "aws": ["AKIA", "IOSFODNN7ABCDEFG"],
    "anthropic": ["sk-ant-", "api03-" + "Ab1" * 12],
    "openai": ["sk-proj-", "Zz9y" * 10],
    "slack": ["xoxb-", "123456789012-abcdefghijkl"],
    "jwt": ["eyJ", "hbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxIn0.", "c2lnbmF0dXJl"],
    "gitlab": ["glpat-", "x1y2z3w4v5u6t7s8r9q0"],
    "google": ["AIza", "SyA1234567890abcdefghijklmnopqrstuv"],
    "npm": ["npm_", "a1b2c3" * 6],
    "database": ["postgresql://user:", "pa55w0rd-of-db", "@db.internal/app"],
    "basic": ["https://joe:", "hunter2hunter2", "@git.internal/x"],
    "header": ["Authorization: ", "Bearer ", "abcDEF123456ghiJKL"],
    "key": [*_PEM, "-----END RSA PRIVATE ", "KEY-----"],
}
# The part of each that must be nowhere.
VALUES = {name: "".join(parts) for name, parts in SECRETS.items()}
VALUES |= {
    "database": "pa55w0rd-of-db",
    "basic": "hunter2hunter2",
    "header": "abcDEF123456ghiJKL",
    "key": "MIIEow3Ab3Ab3",
}

_PYTHON = shlex.quote(sys.executable)  # in the path of a checkout there may be a blank
_PRINTER = f"""
import sys, time
for stream in (sys.stdout, sys.stderr):
    for parts in {list(SECRETS.values())!r}:
        for part in ["said: ", *parts, "\\n"]:
            stream.write(part)
            stream.flush()
            time.sleep(0.004)  # so that each part is read by itself
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "say.py").write_text(_PRINTER)
    return tmp_path / "project"


def _plan(folder: Path, work: str, check: str) -> str:
    return f"# The plan\n\n## Phase 1 — One\n\n- [ ] do one\n\n```sh run\n{work}\n```\n\n```sh check\n{check}\n```\n"


def _settle(project: Path, settings: str) -> None:
    (project / "planrail.toml").write_text(f"[approval]\nrequired = false\n{settings}")
    git = ["git", "-C", str(project), "-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run([*git, "commit", "-qam", "settings"], check=True)


def _run(project: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PLANRAIL_STATE_DIR": str(project.parent / "state"), "HOME": str(project.parent)}
    environment["PLANRAIL_CONFINE"] = "off"  # the tool that says the secrets lies beside the project
    command = [sys.executable, "-m", "planrail", *words]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=PATIENCE)


def _leaks(place: Path, shown: str) -> list[str]:
    """The secrets that are in a file below a folder, but for the tools of the test itself, or in what was shown."""
    files = [path for path in place.rglob("*") if path.is_file() and "tools" not in path.parts]
    found = [
        f"{name} in {path}" for path in files for name, value in VALUES.items() if value.encode() in path.read_bytes()
    ]
    return found + [f"{name} on the screen" for name, value in VALUES.items() if value in shown]


@pytest.mark.full
@pytest.mark.parametrize("ends", [soak("well"), "badly"])
def test_what_the_blocks_and_checks_of_a_runbook_print_is_kept_without_secrets(project: Path, ends: str) -> None:
    printed = f"{_PYTHON} '{project.parent}/tools/say.py'"
    last = "true" if ends == "well" else "exit 3"
    make_project(project, _plan(project, f"{printed}\necho one > one.txt", f"test -f one.txt\n{printed}\n{last}"))
    ran = _run(project, "run", "PLAN.md", "--agent", "runbook")
    told = _run(project, "report", "PLAN.md", "--full")
    again = _run(project, "status", "PLAN.md")
    shown = ran.stdout + ran.stderr + told.stdout + told.stderr + again.stdout + again.stderr
    assert ran.returncode == (0 if ends == "well" else 1), shown
    logs = [
        path.read_text(errors="replace")
        for path in (project.parent / "state").rglob("*")
        if path.is_file() and path.name.endswith("log")
    ]
    assert sum("said: [masked token]" in log for log in logs) >= 2, "the log of the agent, and that of the check"
    assert _leaks(project.parent, shown) == []


@pytest.mark.full
def test_what_an_agent_prints_is_kept_without_secrets(project: Path) -> None:
    agent = project.parent / "tools" / "agent.py"
    agent.write_text(_PRINTER + "open('one.txt', 'w').write('one')\n")
    make_project(project, _plan(project, "true", "test -f one.txt"))
    _settle(project, f'[run]\ncommand = "{_PYTHON} {shlex.quote(str(agent))} {{prompt}}"\n')
    ran = _run(project, "run", "PLAN.md", "--agent", "command", "--verifier", "runbook")
    told = _run(project, "report", "PLAN.md", "--json")
    shown = ran.stdout + ran.stderr + told.stdout
    assert "landed" in shown, shown
    assert "[masked token]" in ran.stderr
    events = [path.read_text() for path in (project.parent / "state").rglob("events.jsonl")]
    assert any("[masked token]" in text for text in events)
    assert _leaks(project.parent, shown) == []


# ------------------------------------------------------------------------------------------------------------- landing

_TOKEN = "".join(SECRETS["github"])


def _landed(project: Path) -> bool:
    log = subprocess.run(["git", "log", "--format=%B", "main"], cwd=project, capture_output=True, text=True, check=True)
    return "Planrail-Phase: 1" in log.stdout


def _work(parts: list[str], path: str = "config.py") -> str:
    written = " ".join(f"'{part}'" for part in parts)
    return f"printf '%s' 'token = ' {written} > {path}\necho >> {path}\necho one > one.txt"


_AWS = "AWS_SECRET_" + "ACCESS_KEY=" + "aB3+dE5/gH7iJ9kL" * 2 + "aB3+dE5/"


@pytest.mark.parametrize(
    ("path", "after", "found"),
    [
        (
            "config.py",
            f"x = 1\ntoken = {_TOKEN}\n".encode(),
            "config.py:2 adds what looks like a secret (GitHub token)",
        ),
        (f"{_TOKEN}.txt", b"x\n", "the name of [masked token].txt adds what looks like a secret (GitHub token)"),
        ("deploy.env", _AWS.encode(), "deploy.env:1 adds what looks like a secret (AWS secret key)"),
        ("app.ini", b"DB_PASS" + b"WORD=hT7qLw92ZxPk4v\n", "app.ini:1 adds what looks like a secret (value that is"),
        ("a.txt", _TOKEN.encode("utf-16"), "a.txt:1 adds what looks like a secret (GitHub token)"),
        ("a.txt", b"of my own: correct horse battery\n", "a.txt:1 adds what looks like a secret"),
        ("tests/keys/a.py", _TOKEN.encode(), ""),
        ("known.py", b"xoxb-" + b"123456789012-abcdefghijkl", ""),
        ("moved.py", b"glpat-" + b"x1y2z3w4v5u6t7s8r9q0", ""),
        ("gone.py", None, ""),
    ],
)
def test_a_secret_that_the_work_adds_is_found_unless_settings_or_the_base_have_it(
    path: str, after: bytes | None, found: str
) -> None:
    known = fingerprint("".join(SECRETS["slack"]))
    ground = Ground(["tests/keys/*", known], "".join(SECRETS["gitlab"]).__eq__, ["correct horse battery"])
    told = [finding.text for finding in find_landing_secrets({path: (None, after)}, ground)]
    assert (len(told), (told or [""])[0].startswith(found)) == (int(bool(found)), True), told
    assert _TOKEN not in str(told)


def test_work_with_a_secret_in_it_does_not_land_whatever_the_agent_says_in_the_settings(project: Path) -> None:
    edit = "printf '[approval]\\nrequired = false\\n[run]\\nknown_secrets = [\"*\"]\\n' > planrail.toml\n"
    make_project(project, _plan(project, edit + _work(SECRETS["github"]), "test -f one.txt"))
    ran = _run(project, "run", "PLAN.md", "--agent", "runbook")
    shown = ran.stdout + ran.stderr + _run(project, "report", "PLAN.md", "--full").stdout
    assert (ran.returncode, _landed(project)) == (1, False)
    assert ("config.py:1" in shown.replace("\\", ""), "GitHub token" in shown, _TOKEN in shown) == (True, True, False)


@pytest.mark.full
def test_a_value_that_the_settings_name_or_the_base_has_may_land(project: Path) -> None:
    work = _work(SECRETS["github"], "tests/keys/a.py").replace("printf", "mkdir -p tests/keys; printf", 1)
    make_project(project, _plan(project, f"{work}\ncp old.py new.py\ngit mv old.py moved.py", "test -f one.txt"))
    (project / "old.py").write_text(f"token = '{''.join(SECRETS['gitlab'])}'\n")
    subprocess.run(["git", "add", "old.py"], cwd=project, check=True)
    _settle(project, '[run]\nknown_secrets = ["tests/keys/*"]\n')
    ran = _run(project, "run", "PLAN.md", "--agent", "runbook")
    assert _landed(project), ran.stderr
