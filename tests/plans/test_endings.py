"""What the last message of an agent says about its work, in the languages of plans."""

import pytest

from planrail.plans.words.endings import LastWords, read_ending

_CLAIM, _WHOLE = LastWords(claims=True), LastWords(claims=True, is_whole=True)
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
        ("Half of the items are written; the rest remains.", _BOTH),
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
