"""A repository with a page that a tiny server shows, and a plan that changes the page."""

import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import planrail
from planrail.base.crash_points import VARIABLE
from tests.support.patience import PATIENCE
from tests.support.run_traces import find_processes

PLAN = "plans/shop.md"
SERVER = """
import http.server, os

class Shop(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = open("page.html").read().replace("PATH", self.path).encode()
        self.send_response(404 if "missing" in self.path else 200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

print("the shop is open", flush=True)
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Shop).serve_forever()
"""
BEFORE = "<body style='background: white'><h1>Before PATH</h1></body>"
AFTER = "<body style='background: navy'><h1>After PATH</h1></body>"
_PLAN = """# Shop

## Phase 1 — {title}

- [ ] the page is dark blue

```sh run
printf '%s' "{after}" > page.html
```
```sh check
grep -q navy page.html
```
"""
_SETTINGS = """[approval]
required = false

[ui]
server = "exec {python} serve.py"
url = "http://127.0.0.1:0"
ready = 60
"""


class UiStage:
    """Everything lies below `place`, so that whatever is left behind can be found there."""

    def __init__(self, place: Path, settings: str = "", title: str = "A new layout", server: str = SERVER) -> None:
        self.place, self.root, self.state, self.temporary = place, place / "shop", place / "state", place / "tmp"
        for folder in (self.root / "plans", self.state, self.temporary):
            folder.mkdir(parents=True)
        self.environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(Path(planrail.__file__).parents[1]),
            "HOME": str(place),
            "TMPDIR": str(self.temporary),
            "PLANRAIL_STATE_DIR": str(self.state),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "NO_COLOR": "1",
            **({"CHROME_BIN": os.environ["CHROME_BIN"]} if "CHROME_BIN" in os.environ else {}),
        }
        files = {"serve.py": server, "page.html": BEFORE, ".gitignore": "reports/\n"}
        files |= {"planrail.toml": _SETTINGS.format(python=shlex.quote(sys.executable)) + settings}
        files |= {PLAN: _PLAN.format(title=title, after=AFTER)}
        for name, text in files.items():
            (self.root / name).write_text(text)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Ann")
        self.git("config", "user.email", "ann@example.org")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "The beginning")

    def git(self, *words: str) -> str:
        """What git says; it has to work."""
        done = subprocess.run(
            ["git", "-C", str(self.root), *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    # ---- planrail ----

    def start(self, *words: str, **more: str) -> "subprocess.Popen[str]":
        """planrail, begun."""
        return subprocess.Popen(
            [sys.executable, "-m", "planrail", *words],
            cwd=self.root,
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def call(self, *words: str, **more: str) -> tuple[int, str, str]:
        """planrail, to its end: code, output, messages."""
        process = self.start(*words, **more)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"planrail did not end: {process.communicate()[1]}") from None
        return process.returncode, out, err

    def run(self, **more: str) -> tuple[int, dict[str, Any], str]:
        """A run of the whole plan: code, its last word, messages."""
        code, out, err = self.call("run", PLAN, "finish", "auto", "--json", **more)
        return code, json.loads(out) if out.strip() else {"state": err, "command": ""}, err

    def resume(self, **more: str) -> dict[str, Any]:
        """Go on; the last word."""
        code, out, err = self.call("resume", PLAN, "--json", **more)
        assert code == 0, err
        told: dict[str, Any] = json.loads(out)
        return told

    def crash(self, point: str) -> None:
        """A run, or what is left of it, that dies at a point."""
        code, _, err = self.run(**{VARIABLE: point})
        assert code == -signal.SIGKILL, err

    def sign_off(self, answer: str = "") -> str:
        """A person at a terminal of their own, who types an answer, else the word that is shown; what they were shown."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.root)
            command = [sys.executable, "-m", "planrail", "sign-off", PLAN]
            os.execve(sys.executable, command, self.environment)
        shown = ""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 0.3)[0]:
                if words := re.findall(r"Type (\w+) for yes \(.*\): ", shown):
                    os.write(terminal, f"{answer or words[-1]}\n".encode())
                continue
            try:
                chunk = os.read(terminal, 4096)
            except OSError:
                break
            if not chunk:
                break
            shown += chunk.decode(errors="replace")
        os.close(terminal)
        os.waitpid(pid, 0)
        return shown

    # ---- what is there ----

    @property
    def report(self) -> str:
        """The report as it is written."""
        return (self.root / "reports/plan-shop.md").read_text()

    @property
    def copied(self) -> list[Path]:
        """The pictures beside the report."""
        return sorted((self.root / "reports/plan-shop").glob("*.png"))

    @property
    def landed(self) -> list[str]:
        """The phases on main."""
        told = self.git("log", "--format=%(trailers:key=Planrail-Phase,valueonly,separator=%x2C)", "main")
        return [line for line in told.split("\n") if line]

    def processes(self) -> dict[int, str]:
        """Whatever runs for this stage."""
        return find_processes(self.place)

    def wait_for_process(self, wanted: str) -> None:
        """Until a process with exactly this command runs."""
        deadline = time.monotonic() + PATIENCE
        while not any(command.strip() == wanted for command in self.processes().values()):
            assert time.monotonic() < deadline, "it did not start"
            time.sleep(0.02)

    def wait_for_nobody(self) -> None:
        """Until nothing runs any more."""
        deadline = time.monotonic() + PATIENCE
        while found := self.processes():
            assert time.monotonic() < deadline, found
            time.sleep(0.02)

    def kill_everything(self) -> None:
        """Kill whatever belongs to this stage."""
        while found := self.processes():
            for pid in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            time.sleep(0.01)
