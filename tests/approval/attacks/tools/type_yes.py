"""`type_yes.py COMMAND...`: run it on a pseudo-terminal made here, below whoever calls this, and type the word that it shows."""

import os
import sys

sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4)))

from tests.approval.attacks.terminal_host import YES, converse

job = {"command": sys.argv[1:], "cwd": os.getcwd(), "environment": dict(os.environ), "answers": [YES]}
print(converse(job)["shown"])
