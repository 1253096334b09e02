"""Documents as programs: the blocks of a page in their order, and the project that they are tried in.

- A block whose info string names a file (`markdown plans/hello.md`) is that file, and is committed.
- A `console` block is typed, line by line; what it shows has to come. A line `…` stands for any number of lines.
- All other blocks are only read.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from planrail.base.records import record
from tests.support.patience import PATIENCE

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
ANYTHING = "…"
_FENCE = re.compile(r"^(?P<ticks>`{3,})(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=ticks)[ ]*$", re.MULTILINE | re.DOTALL)
# What differs from run to run: identities of runs and commits, times, processes, the padding of tables.
_VARYING = (
    (re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{6}\b"), "RUN"),
    (re.compile(r"\bin (?:\d+ (?:d|h|min|s) )+· \w{3} \d{4}-\d\d-\d\d \d\d:\d\d \w+"), "WHEN"),
    (re.compile(r"\b\d{4}-\d\d-\d\d( \d\d:\d\d)?\b"), "DATE"),
    (re.compile(r"\b[0-9a-f]{7,64}\b"), "HASH"),
    (re.compile(r"\b\d+(?::\d\d)+\b|\b\d+(?:\.\d+)? ?s\b"), "TIME"),
    (re.compile(r" +"), " "),
)


@record
class Block:
    """A fenced block of a page."""

    info: str
    body: str
    line: int

    @property
    def language(self) -> str:
        """The first word behind the fence."""
        return (self.info.split() or [""])[0]

    @property
    def file(self) -> str:
        """The file that it is; "" for a block that is none."""
        words = self.info.split()
        return words[1] if len(words) == 2 and words[1].endswith(".md") else ""


@record
class Typed:
    """A command of a console block, and the lines that it shows."""

    command: str
    shown: list[str]


def read_blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(found["info"].strip(), found["body"], text.count("\n", 0, found.start()) + 1)
        for found in _FENCE.finditer(text)
    ]


def read_typed(block: Block) -> list[Typed]:
    """What is typed in a console block, and what it shows."""
    found: list[Typed] = []
    for line in block.body.splitlines():
        if line.startswith("$ "):
            found.append(Typed(line[2:], []))
        elif found:
            found[-1].shown.append(line)
    return found


def matches(shown: list[str], came: list[str]) -> bool:
    """Whether what came is what a page shows, but for what differs from run to run."""
    wanted = [ANYTHING if line == ANYTHING else re.escape(_settle(line)) for line in _strip(shown)]
    pattern = "".join(r"(?:.*\n)*?" if line == ANYTHING else f"{line}\n" for line in wanted)
    return re.fullmatch(pattern, "".join(f"{_settle(line)}\n" for line in _strip(came))) is not None


def _settle(line: str) -> str:
    for pattern, word in _VARYING:
        line = pattern.sub(word, line)
    return line.rstrip()


def _strip(lines: list[str]) -> list[str]:
    """Without empty lines at both ends."""
    text = "\n".join(lines).strip("\n")
    return text.split("\n") if text else []


class Project:
    """A repository in which a page is tried."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        programs = folder / "bin"
        programs.mkdir()
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PLANRAIL_STATE_DIR": str(folder / "state"),
            "PYTHONUTF8": "1",
            "NO_COLOR": "1",
        }
        program = programs / "planrail"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m planrail "$@"\n')
        program.chmod(0o755)
        self.type("git init -q -b main . && git config user.name me && git config user.email me@localhost")
        self.write("planrail.toml", "[approval]\nrequired = false\n")

    def write(self, name: str, text: str) -> None:
        """Write a file, and commit it."""
        place = self.root / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
        self.type(f"git add {name} && git commit -q -m 'Add {name}' -- {name}")

    def type(self, command: str) -> list[str]:
        """The lines that a command shows."""
        done = subprocess.run(
            ["sh", "-c", f"{command}\n"],
            cwd=self.root,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )
        return done.stdout.splitlines()
