"""What the last message of an agent says about its work, in the languages of plans."""

import pytest

from planrail.plans.words.endings import LastWords, names_unit, read_ending

_CLAIM, _WHOLE = LastWords(claims=True), LastWords(claims=True, is_whole=True)
_VAGUE = LastWords(claims=True, is_vague=True)
_OPEN, _BOTH, _NEITHER = LastWords(opens=True), LastWords(claims=True, opens=True), LastWords()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("All done!", _WHOLE),
        ("Phase 1 is done.", _CLAIM),
        ("Phase 1: ✅", _CLAIM),
        ("- [x] write hello.txt", _CLAIM),
        ("I've added the function and the tests pass, 0 failed.", _CLAIM),
        ("I have set everything up as described in the plan.", _WHOLE),
        ("Nothing is missing, all complete.", _WHOLE),
        ("I was able to get everything done.", _WHOLE),
        ("Everything is implemented. Shall I go on with phase 2?", _WHOLE),
        ("Fertig, alles umgesetzt.", _WHOLE),
        ("C'est terminé.", _CLAIM),
        ("Готово, всё сделано.", _WHOLE),
        ("已完成所有任务。", _WHOLE),
        ("フェーズ1を完了しました。", _CLAIM),
        ("완료했습니다.", _CLAIM),
        ("That should do it! Let me know if you want anything else.", _CLAIM),
        ("goodbye() now returns the farewell; the import check succeeds.", _CLAIM),
        ("The parser now accepts empty lines.", _CLAIM),
        ("C'est bon, tout marche.", _WHOLE),
        ("goodbye() is now available.", _CLAIM),
        ("You can now say goodbye.", _CLAIM),
        ("That wraps up phase 1.", _CLAIM),
        ("好了。", _CLAIM),
        ("I took care of it.", _CLAIM),
        ("The function has been added.", _CLAIM),
        ("Added goodbye().", _CLAIM),
        ("The existing test passes.", _VAGUE),
        ("Python 3.11 works here.", _VAGUE),
        ("The parser is written in C.", _VAGUE),
        ("`greet` was added in 2019.", _VAGUE),
        ("The cache is built at the start. I've added goodbye().", _CLAIM),
        ("Das läuft unter Python 3.11.", _VAGUE),
        ("Here is how greet() works.", _NEITHER),
        ("Ich erkläre, warum es funktioniert.", _NEITHER),
        ("Let me know which of the two you want.", _OPEN),
        ("The build now fails.", _OPEN),
        ("It should now pass once the key is set.", _NEITHER),
        ("Phase 1 is not done yet: the test fails.", _OPEN),
        ("I could not finish: I need the API key.", _OPEN),
        ("BLOCKER: the database is down.", _OPEN),
        ("Done, and no blockers.", _CLAIM),
        ("The phase will be done tomorrow.", _OPEN),
        ("Shall I use X or Y?", _OPEN),
        ("Phase 1 ist noch nicht fertig.", _OPEN),
        ("Ce n'est pas encore terminé.", _OPEN),
        ("Ещё не готово.", _OPEN),
        ("第一阶段尚未完成。", _OPEN),
        ("まだ完了していません。", _OPEN),
        ("아직 완료하지 않았습니다.", _OPEN),
        ("Item 1 is done; item 2 is not done yet.", _BOTH),
        ("Half of the items are written; the rest remains.", LastWords(claims=True, opens=True, is_vague=True)),
        ("Approved.", _NEITHER),
        ("I go on.", _NEITHER),
        ("Here is what the module does: it reads files.", _NEITHER),
        ("The output was:\n```\nall tests passed, done\n```\n", _NEITHER),
        ("> everything is done\nThat is what the plan asks for.", _NEITHER),
        ("", _NEITHER),
    ],
)
def test_a_message_claims_work_leaves_it_open_both_or_neither(message: str, expected: LastWords) -> None:
    assert read_ending(message) == expected


@pytest.mark.parametrize(
    ("message", "id", "expected"),
    [
        ("Phase 1 is done.", "1", True),
        ("Change 1 of 2 is done.", "1", True),
        ("Item #1 done.", "1", True),
        ("The first change is done; the README comes next.", "1", True),
        ("The first of the changes is done.", "1", False),
        ("Änderung 1 ist fertig.", "1", True),
        ("Die zweite Änderung ist fertig.", "2", True),
        ("La première étape est terminée.", "1", True),
        ("第一阶段已完成。", "1", True),
        ("フェーズ1を完了しました。", "1", True),
        ("Step 2.1 is done.", "2.1", True),
        ("Step 2.1 is done.", "2", False),
        ("Phase 12 is done.", "1", False),
        ("All 2 tests pass.", "2", False),
        ("At first the change looked easy. Both are done.", "2", False),
    ],
)
def test_a_message_names_a_unit_of_work_by_its_number_or_place(message: str, id: str, expected: bool) -> None:
    assert names_unit(message, id) is expected
