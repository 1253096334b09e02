"""A person at Claude Code's screen: a terminal of its own, keys, and eyes that wait for what they expect."""

import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from tests.e2e.claude import LONGEST, Claude

_GLANCE = 0.05  # seconds between two looks
_PATIENCE = 1.0  # seconds until a key that did nothing is pressed again


class Screen:
    """An interactive session in a private tmux."""

    def __init__(self, claude: Claude, *flags: str) -> None:
        if shutil.which("tmux") is None:
            pytest.skip("tmux is not here")
        claude.accept_terms()
        self._folder = Path(tempfile.mkdtemp(prefix="planrail-"))  # a socket's path has to be short
        self._claude = claude
        environment = claude.environment(TERM="xterm-256color")
        words = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), *claude.command(*flags)]
        (self._folder / "start").write_text(f"exec {shlex.join(words)}\n")

    def __enter__(self) -> Self:
        size = ("-x", "160", "-y", "50")
        start = f"sh {self._folder / 'start'}"
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, "-c", str(self._claude.project.folder), start)
        self.wait_for("❯")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._tmux("kill-server")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-S", str(self._folder / "socket"), *arguments]
        environment = self._claude.project.environment()
        return subprocess.run(command, env=environment, capture_output=True, text=True).stdout

    @property
    def text(self) -> str:
        """What is on the screen."""
        return self._tmux("capture-pane", "-p")

    def wait_for(self, expected: str) -> None:
        """Look until the screen shows something."""
        if not self._becomes(lambda text: expected in text, LONGEST):
            raise AssertionError(f"the screen never showed {expected!r}:\n{self.text}")

    def _becomes(self, is_so: Callable[[str], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if is_so(self.text):
                return True
            time.sleep(_GLANCE)
        return False

    def type(self, text: str, *, until: str) -> None:
        """Type a line and send it off, until something shows that it was taken."""
        self._tmux("send-keys", "-l", text)
        self.wait_for(text)
        self.press("Enter", until=until)

    def clear(self, *, gone: str) -> None:
        """Clear the context; what was on the screen is gone then."""
        self._tmux("send-keys", "-l", "/clear")
        self.wait_for("/clear")
        self._press("Enter", lambda text: gone not in text)

    def press(self, key: str, *, until: str) -> None:
        """Press a key and wait for its effect."""
        self._press(key, lambda text: until in text)

    def _press(self, key: str, has_effect: Callable[[str], bool]) -> None:
        """A screen that is being drawn swallows keys: if nothing has changed after a while, the key is pressed again."""
        end = time.monotonic() + LONGEST
        before = ""
        while time.monotonic() < end:
            if self.text == before or not before:
                before = self.text
                self._tmux("send-keys", key)
            if self._becomes(has_effect, _PATIENCE):
                return
        raise AssertionError(f"{key} did not have its effect:\n{self.text}")
