"""`own_window.py [--clean] COMMAND...`: leave all ancestors, make a terminal, run it there, and type the word it shows."""

import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4)))

from tests.approval.attacks.terminal_host import YES

host = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "terminal_host.py")
words = sys.argv[1:]
environment = dict(os.environ)
if words[0] == "--clean":
    words = words[1:]
    environment = {name: environment[name] for name in ("HOME", "PATH", "LANG", "TMPDIR")}
job = {"command": words, "cwd": os.getcwd(), "environment": environment, "answers": [YES]}
folder = tempfile.mkdtemp()
with open(f"{folder}/job", "w", encoding="utf-8") as file:
    json.dump(job, file)
subprocess.run([sys.executable, host, f"{folder}/job", f"{folder}/result"], env=environment, check=True)
for _ in range(600):
    if os.path.exists(f"{folder}/result"):
        with open(f"{folder}/result", encoding="utf-8") as file:
            print(json.load(file)["shown"])
        break
    time.sleep(0.1)
