"""`installed.py FOLDER ARGUMENTS...`: planrail on a machine whose /etc/planrail is that folder."""

import os
import sys

import planrail.repo.signers
import planrail.settings
from planrail.cli.main import entry

folder = sys.argv.pop(1)
planrail.settings.SYSTEM_FILE = os.path.join(folder, "planrail.toml")
planrail.repo.signers.MACHINE_FILE = os.path.join(folder, "allowed_signers")
entry()
