"""What doctor says about approval."""

from pathlib import Path

import pytest

from planrail.install.checks import check_approval
from planrail.install.findings import BAD, NOTE, WELL


@pytest.mark.parametrize(
    ("settings", "state", "says"),
    [
        ("", WELL, "headless: terminal"),
        ('[approval]\nlead = "lena"\n', WELL, "the approval of lena is needed"),
        ("[approval]\nrequired = false\n", NOTE, "required = false"),
        ('[approval]\nauto = "key"\n', BAD, "no key can count"),
        ("[approval]\nwhat = 1\n", NOTE, "cannot be read"),
    ],
)
def test_doctor_says_what_a_yes_must_be(tmp_path: Path, settings: str, state: str, says: str) -> None:
    place = tmp_path / "planrail" / "planrail.toml"
    place.parent.mkdir()
    place.write_text(settings)
    finding = check_approval(None, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert finding.state == state
    assert says in finding.text
    assert finding.remedy or state == WELL
