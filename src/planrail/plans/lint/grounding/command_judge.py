"""Judging commands: does the Makefile have the target, package.json the script, the test file the test?"""

import json
import re

from planrail.plans.lint.grounding.citations import Citation
from planrail.plans.lint.grounding.closest import Names
from planrail.plans.lint.grounding.commands import Reference
from planrail.plans.lint.grounding.files import FileIndex
from planrail.plans.lint.grounding.intentions import Intentions
from planrail.plans.lint.grounding.paths import PathJudge
from planrail.plans.lint.grounding.shapes import PathShape
from planrail.plans.lint.grounding.stances import Stance
from planrail.plans.lint.grounding.verdicts import Verdict
from planrail.plans.lint.problems import Severity
from planrail.plans.lint.tree import Tree

_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_TARGET = re.compile(r"^(?P<names>[^\s#:=][^#:=\n]*?)\s*::?(?!=)", re.MULTILINE)
# Rules and files that a reader of this one Makefile does not see, and programs that write one.
_OPAQUE = re.compile(r"^(?:-?include|sinclude)\s|^[^\s#]*%[^\n]*:|\$\(eval|^\$[({][^\n]*:", re.MULTILINE)
_WRITES_MAKEFILE = (
    "CMakeLists.txt",
    "configure",
    "configure.ac",
    "configure.in",
    "meson.build",
    "Makefile.am",
    "Makefile.in",
)


class CommandJudge:
    """Judges what commands need in one tree."""

    def __init__(
        self, tree: Tree, index: FileIndex, intentions: Intentions, paths: PathJudge, citations: list[Citation]
    ) -> None:
        self._tree = tree
        self._index = index
        self._intentions = intentions
        self._paths = paths
        self._touched = _touched_files(citations)
        self._known: dict[str, set[str] | None] = {}

    def judge(self, citation: Citation, reference: Reference) -> Verdict | None:
        """What a command needs and does not find; None where nothing is wrong, or nothing certain."""
        match reference.kind:
            case "make":
                return self._judge_name(citation, reference, "target", _MAKEFILES)
            case "script":
                return self._judge_name(citation, reference, "script", ("package.json",))
            case _:
                return self._judge_file(citation, reference)

    def _judge_name(
        self, citation: Citation, reference: Reference, what: str, files: tuple[str, ...]
    ) -> Verdict | None:
        """A target or a script. Where the plan changes the file that would hold it, it may be about to be added."""
        known = self._names(reference.kind)
        is_made = f"{reference.kind} {reference.name}" in self._intentions.names
        if known is None or reference.name in known or is_made or not citation.is_open:
            return None
        severity = Severity.WARNING if self._touched & set(files) else Severity.ERROR
        message = f"`{citation.text}`: {files[0]} has no {what} {reference.name}"
        return Verdict(severity, message, Names(sorted(known)).closest(reference.name))

    def _names(self, kind: str) -> set[str] | None:
        if kind not in self._known:
            self._known[kind] = self._make_targets() if kind == "make" else self._scripts()
        return self._known[kind]

    def _make_targets(self) -> set[str] | None:
        """The targets of all Makefiles; None where there is none, or where they cannot be known by reading."""
        places = [place for name in _MAKEFILES for place in self._index.names.get(name, ())]
        if not places or any(name in self._index.names for name in _WRITES_MAKEFILE):
            return None
        targets: set[str] = set()
        for place in places:
            text = self._tree.read(place)
            if text is None or _OPAQUE.search(text):
                return None
            for match in _TARGET.finditer(text):
                targets.update(match["names"].split())
        return targets

    def _scripts(self) -> set[str] | None:
        """The scripts of all package.json files; None where there is none, or one cannot be read."""
        scripts: set[str] = set()
        places = [place for place in self._index.names.get("package.json", ()) if "node_modules/" not in place]
        for place in places[:200]:
            try:
                package = json.loads(self._tree.read(place) or "")
                scripts.update(package.get("scripts", {}))
            except (ValueError, AttributeError, TypeError):
                return None
        return scripts if places else None

    def _judge_file(self, citation: Citation, reference: Reference) -> Verdict | None:
        """The file that is run. A test that is to be written is cited like one that is there."""
        if reference.path is None:
            return None
        verdict = self._paths.judge_run(citation, reference.path)
        if verdict is not None or not reference.name or not citation.is_open:
            return verdict
        return self._judge_test(citation, reference.name, reference.path)

    def _judge_test(self, citation: Citation, name: str, path: PathShape) -> Verdict | None:
        """A test by its name, in a file that is there and that the plan does not change."""
        text = self._tree.read(path.path)
        if text is None or name in self._intentions.names or path.path.rsplit("/", 1)[-1] in self._touched:
            return None
        if re.search(rf"\b{re.escape(name)}\b", text):
            return None
        known = set(re.findall(r"(?:def|class)\s+(\w+)", text))
        return Verdict(
            Severity.WARNING, f"`{citation.text}`: {path.path} has no test {name}", Names(sorted(known)).closest(name)
        )


def _touched_files(citations: list[Citation]) -> set[str]:
    """The base names of the files that the plan creates or changes."""
    stances = (Stance.CREATED, Stance.EXISTS, Stance.PLANNED)
    shapes = [citation.shape for citation in citations if citation.stance in stances]
    return {shape.path.rsplit("/", 1)[-1] for shape in shapes if isinstance(shape, PathShape)}
