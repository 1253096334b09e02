"""What every tree promises to the rules that look into it: the one in memory, the walked folder, the repository."""

import subprocess
from pathlib import Path

import pytest

from planrail.git.working_files import open_folder
from tests.lint.linting import MemoryTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.plans.lint.document import FileTree

_FILES = {
    "PLAN.md": "`UserService` and `PlanOnly`\n",
    "src/app.py": "class UserService:\n    def find_user(self): ...\n",
    "src/deep/x.ts": "UserServices\n",
}


def _write(root: Path) -> Path:
    for name, text in _FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture(params=["memory", "folder", "repository"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> "FileTree":
    if request.param == "memory":
        return MemoryTree(_FILES)
    if request.param == "repository":
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return open_folder(str(_write(tmp_path)))


def test_files_are_listed_and_read_and_words_are_found_whole(tree: "FileTree") -> None:
    assert list(tree.files()) == sorted(_FILES)
    assert {path: tree.read(path) for path in tree.files()} == _FILES
    assert tree.read("src/missing.py") is None
    assert tree.find_words("UserService|find_user|User", excluding="") == {"UserService", "find_user"}
    assert tree.find_words("User[A-Za-z0-9_]*", excluding="") == {"UserService", "UserServices"}
    assert tree.find_words("PlanOnly|UserService", excluding="PLAN.md") == {"UserService"}
    assert tree.find_words("nowhere", excluding="") == set()
