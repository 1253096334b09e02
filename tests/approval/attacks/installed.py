"""`installed.py FOLDER ARGUMENTS...`: planrail on a machine whose /etc/planrail is that folder."""

import os
import sys

import planrail.approval.people.signers
import planrail.base.settings
from planrail.cli.main import entry

folder = sys.argv.pop(1)
planrail.base.settings.SYSTEM_FILE = os.path.join(folder, "planrail.toml")
planrail.approval.people.signers.MACHINE_FILE = os.path.join(folder, "allowed_signers")
entry()
