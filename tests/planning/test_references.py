"""References to files, with and without a repository at hand."""

from pathlib import Path

import pytest

from planrail.base.errors import UsageError
from planrail.planning.answers.judging import Bar, judge
from planrail.planning.answers.references import find_references
from planrail.plans.files.cited_files import count_files, open_root


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("src/x.ts src/y.ts", ["src/x.ts", "src/y.ts"]),
        ("src/a.ts:10 src/a.ts:90 src/a.ts:10", ["src/a.ts:10", "src/a.ts:90"]),
        ("./src/a.ts and src/a.ts.", ["src/a.ts"]),
        ("(`src/a.ts`), **b.py**; [c](docs/c.md#L3)", ["src/a.ts", "b.py", "docs/c.md#L3"]),
        ("Makefile, Dockerfile and go.mod", ["Makefile", "Dockerfile", "go.mod"]),
        ("文件src/a.ts和src/b.ts", ["src/a.ts", "src/b.ts"]),
        ("src/a.ts에서", ["src/a.ts"]),
        ("문서/설계.md를", ["문서/설계.md"]),
        (r"src\win\a.cs", ["src/win/a.cs"]),
        ("http://a.com/x.html https://b.org/y.py //cdn.x.io/z.js", []),
        ("example.com/a.html www.b.org/c.md github.com/a/b/c.ts", []),
        ("and/or.x v1.2.3 2.0 e.g. i.e. me@host.py", []),
        ("np.sum self.lock wikipedia.org node.js user.service", []),
        ("It works.Go on.", []),
    ],
)
def test_only_files_are_references_and_each_counts_once(text: str, references: list[str]) -> None:
    assert list(find_references(text)) == references


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in ("src/a.py", "src/tool", ".git/config"):
        (folder / name).write_text("x")
    (tmp_path / "outside.py").write_text("x")
    (folder / "link.py").symlink_to(tmp_path / "outside.py")
    return folder


def test_with_a_root_only_its_own_files_count(root: Path) -> None:
    text = f"src/a.py:3 src/tool src/none.py ../outside.py {root.parent}/outside.py link.py .git/config src http://a/src/a.py"
    assert list(find_references(text, open_root(str(root)))) == ["src/a.py:3", "src/tool"]


def test_a_file_counts_in_every_spelling_that_leads_to_it(root: Path) -> None:
    (root / "docs").mkdir()
    (root / "docs" / "my notes.md").write_text("x")
    exists = open_root(str(root))
    for text in (
        f"{root}/src/a.py",
        "/elsewhere/checkout/src/a.py",
        "a/src/a.py b/src/a.py",
        "src/ holds a.py",
    ):
        assert list(find_references(text, exists)) == ["src/a.py"]
    assert list(find_references("`docs/my notes.md`", exists)) == ["docs/my notes.md"]
    assert list(find_references("", exists, listed="src/\n├── a.py\n└── tool\n")) == ["src/a.py", "src/tool"]
    assert list(find_references("/etc/a.py", exists)) == []


def test_two_files_that_are_not_there_are_no_exploration(root: Path) -> None:
    bar = Bar(exists=open_root(str(root)), file_count=2)
    assert judge("explore", "src/x.py src/y.py", bar)
    assert not judge("explore", "src/a.py src/tool", bar)


def test_a_project_that_has_hardly_a_file_need_not_cite_two(tmp_path: Path) -> None:
    exists = open_root(str(tmp_path))
    assert not judge("explore", "Nothing is there yet.", Bar(exists=exists, file_count=count_files(str(tmp_path), 2)))
    (tmp_path / "README.md").write_text("x")
    bar = Bar(exists=exists, file_count=count_files(str(tmp_path), 2))
    assert judge("explore", "Nothing is there yet.", bar)
    assert not judge("explore", "There is README.md only.", bar)


def test_a_root_that_is_no_folder_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        open_root(str(tmp_path / "none"))
