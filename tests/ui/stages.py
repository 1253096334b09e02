"""A repository with a page that a tiny server shows, and a plan that changes the page."""

import json
import os
import pty
import re
import select
import shlex
import sys
import time
from pathlib import Path

from tests.support.patience import PATIENCE
from tests.support.run_stage import PLAN, RunStage

# It shows the page that the phase leaves behind, and says of every other one that it is not there.
SERVER = """
import http.server, os

class Shop(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = open("page.html").read().replace("PATH", self.path)
        self.send_response(200 if "navy" in body else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body.encode())

print("the shop is open", flush=True)
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Shop).serve_forever()
"""
BEFORE = "<body style='background: white'><h1>Before PATH</h1></body>"
AFTER = "<body style='background: navy'><h1>After PATH</h1></body>"
_PLAN = f"""# Shop

## Phase 1 — A new layout

- [ ] the page is dark blue

```sh run
printf '%s' "{AFTER}" > page.html
```
```sh check
grep -q navy page.html
```
"""
_SETTINGS = f"""[approval]
required = false

[run]
reports = "reports"

[ui]
server = "exec {shlex.quote(sys.executable)} serve.py"
ready = 60
"""


class UiStage(RunStage):
    """See `RunStage`. `settings` are those of `[ui]`, and whatever comes behind them."""

    def __init__(self, place: Path, settings: str = "", url: str = "http://127.0.0.1:0") -> None:
        self._settings = f'{_SETTINGS}url = "{url}"\n{settings}'
        super().__init__(place)

    def _environment(self) -> dict[str, str]:
        return super()._environment() | {name: os.environ[name] for name in ("CHROME_BIN",) if name in os.environ}

    def _make_repository(self, plan: str) -> None:
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Ann")
        self.git("config", "user.email", "ann@example.org")
        files = {"serve.py": SERVER, "page.html": BEFORE, ".gitignore": "reports/\n", PLAN: _PLAN}
        for name, text in {**files, "planrail.toml": self._settings}.items():
            self.write(name, text)
        self.git("add", ".")
        self.git("commit", "-q", "-m", "The beginning")

    def go_on(self) -> str:
        """Resume; how the run stands then."""
        answer = self.call("resume", PLAN, "--json")
        assert answer.code == 0, answer.err
        return str(json.loads(answer.out)["state"])

    def sign_off(self) -> str:
        """A person at a terminal of their own, who types the word that is shown; what they were shown."""
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
                    os.write(terminal, f"{words[-1]}\n".encode())
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

    @property
    def report(self) -> str:
        """The report as it is written."""
        return (self.root / "reports/plan-greeter.md").read_text()

    @property
    def copied(self) -> list[Path]:
        """The pictures beside the report."""
        return sorted((self.root / "reports/plan-greeter").glob("*.png"))
