"""What looks like another sign in a command is told, whichever alphabet it is of."""

import pytest

from planrail.approval.lookalikes import find_lookalikes


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("\u0261it status", 1),
        ("p\u0131p install x", 2),
        ("cat a\u27cbb", 6),
        ("echo \u02bca\u02bc", 6),
        ("ls\u1a60 -l", 3),
        ("rm -\u20ddr x", 5),
        ("grep\u00a0-q x", 5),
        ("grep\u200b -q x", 5),
    ],
)
def test_a_sign_that_looks_like_another_is_found(text: str, column: int) -> None:
    assert [column for column, _ in find_lookalikes(text)][:1] == [column]


@pytest.mark.parametrize(
    "text", ["git commit -m 'caf\u00e9'", "cat cafe\u0301.txt", "cat \u0928\u093f.txt", "cat \u26a0\ufe0f"]
)
def test_a_word_of_another_language_is_none(text: str) -> None:
    assert find_lookalikes(text) == []
