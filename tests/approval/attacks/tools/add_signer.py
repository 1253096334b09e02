"""`add_signer.py FILE`: add a key of one's own, in the person's name, to a list of signers."""

import os
import sys

sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4)))

from tests.git.authenticator import Authenticator

try:
    with open(sys.argv[1], "a", encoding="utf-8") as file:
        file.write(f"lena@example.org {Authenticator(b'agent').public_line}\n")
except PermissionError as error:
    print(error)
