"""The grammar cases: where they are, and what each expects."""

import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parent / "fixtures"
_EXPECTED = ".expected.json"


def documents() -> list[Path]:
    """Every document of the cases."""
    return sorted(path for path in FIXTURES.rglob("*.*") if path.is_file() and not path.name.endswith(_EXPECTED))


def sound_documents() -> list[Path]:
    """The documents that planrail is not known to read wrongly: the others cannot be changed rightly either."""
    return [document for document in documents() if "bug" not in expectation(document)]


def case_of(document: Path) -> Path:
    """The file that says how a document is to be read."""
    return document.with_name(document.stem + _EXPECTED)


def cases() -> list[Path]:
    """Every file that says how a document is to be read."""
    return sorted(FIXTURES.rglob("*" + _EXPECTED))


def expectation(document: Path) -> dict[str, Any]:
    """How a document is to be read."""
    expected: dict[str, Any] = json.loads(case_of(document).read_text("utf-8"))
    return expected
