"""The words of others on a screen: hidden characters are seen, and what people write stays as they wrote it."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import planrail.cli
from planrail.base.visible import show_code, show_line, show_text
from planrail.cli.screen import print_json

PROSE = [
    "Die Größe ändern, dann prüfen.",
    "Réduire la taille : c\u2019est fait\u00a0!",
    "El tamaño cambió. ¿Y ahora?",
    "La città è pronta.",
    "O tamanho não mudou.",
    "De grootte is veranderd: één keer.",
    "Rozmiar się zmienił: żółć.",
    "Изменить размер, потом проверить.",
    "Boyutu değiştir, İstanbul.",
    "改变大小，然后检查。",
    "改變大小，然後檢查。",
    "サイズを変えて、確認する。\u3000はい",
    "크기를 바꾸고 확인한다.",
    "می\u200cخواهم ببینم",
    "क्\u200dष देखो",
    "👩\u200d💻 and 🏳\ufe0f\u200d🌈, ❤\ufe0f, 1\ufe0f\u20e3 and ✅",
    "a\ttab,\nand a line",
]


@pytest.mark.parametrize("text", PROSE)
def test_what_people_write_stays_as_it_is(text: str) -> None:
    assert show_text(text) == text


@given(st.text())
def test_what_is_shown_steers_no_terminal_and_shown_again_is_the_same(text: str) -> None:
    shown = show_text(text)
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]", shown
    )
    assert not re.search("[\U000e0000-\U000e0fff]", shown)
    assert show_text(shown) == shown


@given(st.text())
def test_code_is_shown_on_one_line_without_anything_invisible(text: str) -> None:
    shown = show_code(text)
    assert "\n" not in shown
    assert not [sign for sign in shown if sign != "\t" and (sign.isspace() and sign != " ")]
    assert shown.encode().decode() == shown  # no half of a character


@given(st.text(alphabet=st.characters(codec="ascii", exclude_categories=["Cc"])))
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    assert show_text(text) == show_code(text) == show_line(text) == text


def test_the_line_ends_of_other_systems_are_line_ends_and_no_other_return_is() -> None:
    assert show_text("a\r\nb\rc\r\r\nd") == "a\nb\\rc\\r\nd"


def test_marks_cannot_pile_up_over_other_lines() -> None:
    assert show_text("a" + "\u0301" * 50).count("\u0301") == 3


def test_diagnostics_reach_the_terminal_by_the_one_function_alone() -> None:
    folder = Path(planrail.cli.__file__).parent
    files = [path for path in folder.rglob("*.py") if path.name != "screen.py"]
    assert [path.name for path in files if re.search(r"print\([^\n]*file=sys\.stderr", path.read_text())] == []


def test_json_says_the_same_and_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"title": "a\u202e\x9b2K\u200b\U000e0041 ✅ 改变"}
    print_json(value)
    printed = capsys.readouterr().out
    assert json.loads(printed) == value
    assert "✅ 改变" in printed
    assert not re.search("[\u202e\x9b\u200b\U000e0041]", printed)
