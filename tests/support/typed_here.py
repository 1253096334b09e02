"""Commands typed in the process of a test, in a folder and an environment of their own: no interpreter is started."""

import io
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from planrail.cli.main import main


def type_here(
    folder: str | os.PathLike[str], environment: Mapping[str, str], *words: str
) -> "subprocess.CompletedProcess[str]":
    """`planrail …` to its end, as a process would answer."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    with _standing_in(folder, environment), redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    return subprocess.CompletedProcess(words, code, _said(out), _said(err))


@contextmanager
def _standing_in(folder: str | os.PathLike[str], environment: Mapping[str, str]) -> Iterator[None]:
    before, here = dict(os.environ), os.getcwd()
    os.chdir(folder)
    _replace_environment(environment)
    try:
        yield
    finally:
        os.chdir(here)
        _replace_environment(before)


def _replace_environment(given: Mapping[str, str]) -> None:
    for name in set(os.environ) - set(given):
        del os.environ[name]
    os.environ.update(given)


def _said(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
