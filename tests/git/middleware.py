"""`authenticator.c`, built once for each run of the tests: how a real `ssh-keygen` reaches the key in software."""

import shutil
import subprocess
import sys
from pathlib import Path
from shlex import quote

import pytest

HERE = Path(__file__).parent


def build_middleware(folder: Path, python: str = sys.executable) -> Path:
    """The library to name in SSH_SK_PROVIDER; the test skips where there is no compiler, or no ssh-keygen."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or shutil.which("ssh-keygen") is None:
        pytest.skip("a C compiler and ssh-keygen are needed")
    library = folder / "authenticator.so"
    interpreter = python if python.startswith("$") else quote(python)
    program = f'"{interpreter} {quote(str(HERE / "authenticator.py"))}"'  # a C string that a shell reads
    source = str(HERE / "authenticator.c")
    command = [compiler, "-shared", "-fPIC", "-w", f"-DPROGRAM={program}", "-o", str(library), source]
    subprocess.run(command, check=True, capture_output=True)
    return library
