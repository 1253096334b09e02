"""A sentence or an entry that quotes commands: which of them are checks, and why are the others not?

For any command the words around it have to be known to mean success (`command_outcomes`); for a program that judges it
is enough that it is asked for and nothing speaks against it (`asked_commands`).
"""

import re
from collections.abc import Callable, Iterator

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.base.visible import find_unseen
from planrail.plans import command_kinds
from planrail.plans.asked_commands import expects_failure, is_asked, leaves_open
from planrail.plans.command_outcomes import CommandOutcome, is_remark, read_label, read_outcome, says_nothing
from planrail.plans.command_shapes import can_verify, is_likely, is_script, looks_runnable, may_run, without_prompt
from planrail.plans.model import Check, Unrun
from planrail.plans.shell_blocks import CONTRARY, OPEN

CODE = pattern(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>(?:(?!(?P=ticks)).)+)(?P=ticks)(?!`)")
_IS_A_FILE = pattern(
    r"\W*(?:now |also |is |are |has been |was )*(?:exist|contain|ha[sv]|include|document|mirror|moved|created|added|"
    r"updated|removed|deleted|renamed|registered|registers|executable|present|gone|accept|export|and\b|or\b|,)",
    re.IGNORECASE,
)

# What a criterion may have before its command: "AC-1 — ", "All tests pass: ".
_LABELLED = pattern(r"[^`]{1,60}?(?::|：|\s[—–-])[*_]{0,2}\s+(?:run |execute )?(?=\**`)", re.IGNORECASE)
_VERIFY_WITH = pattern(
    r"\W*(?:(?:re-?)?(?:verify|check|validate|confirm|test)(?: (?:it|this|that))? (?:with|using|via|by running)|"
    r"prüfe[n]? (?:mit|durch)|überprüfe[n]? mit|vérifier avec|verificar con)\s*",
    re.IGNORECASE,
)
_LABEL_INSIDE = pattern(r"(?P<name>[^.;,:()]{2,40})[:：][*_\s]*(?:run |execute )?$", re.IGNORECASE)
# Between two commands: what says that the second is asked for as the first is, and what says when it is run.
_AND = r"(?:and|then|plus|as well as|followed by|also|und|et|y|e|и|和|と|및)"
_JOINT = pattern(rf"\W*(?:{_AND}\b\W*)*$", re.IGNORECASE)
_ENDS_IN_JOINT = pattern(rf"(?:(?:^|\s){_AND}|[,;.&+])[\s*]*$", re.IGNORECASE)
_WHEN = pattern(r"\b(?:after|before|once|nach|vor|après|avant|después de|antes de|после|перед)[\s*]*$", re.I)

_OUTPUT_REASON = "its words ask for something in its output, and running it proves its exit code alone"
_NOT_FIRST = "the criterion does not begin with it"
_NOT_JOINED = "the criterion does not say that it has to succeed as well"
_NO_OUTCOME = "the words around it do not say that it has to succeed"
_REASONS = {CommandOutcome.FAILURE: CONTRARY, CommandOutcome.OUTPUT: _OUTPUT_REASON}
_NO_JUDGE = "it ends by preparing or printing something, which judges nothing"
_UNKNOWN = "it could be a name as well as a command"
_UNSEEN = "it has a character that cannot be seen, so that it is not the command that it looks like"
_AMONG_WORK = "it stands among the work, and the words before it speak against it"


@record
class _Piece:
    """A command in a criterion, what stands before it, and the words that say how it ends: "`a` and `b` pass"."""

    command: str
    before: str
    words: str


def read_criterion(text: str, line: int, *, is_verification: bool) -> list[Check | Unrun]:
    """What a criterion, or a sentence under "Verification", names to run, and what it names and is not run."""
    found = list(_by_words(text, line, is_verification=is_verification))
    if is_verification and text.strip(" *_").endswith("`"):  # what is only shown there is looked at by a person
        found = [one if _can_judge(one) else Unrun(one.command, line, command_kinds.SHOWS) for one in found]
    return _settle(found, _judging(text, line, is_work=False))


def _can_judge(one: Check | Unrun) -> bool:
    return isinstance(one, Unrun) or not command_kinds.shows_only(one.command)


def read_promise(text: str, line: int, is_check: Callable[[str], bool]) -> list[Check | Unrun]:
    """What a work item or a sentence asks for to be run; `is_check` says whether a label announces a check."""
    found: list[Check | Unrun] = []
    for piece in _pieces(text) if "`" in text else ():
        is_said = not says_nothing(piece.words) and read_outcome(piece.command, piece.words) is CommandOutcome.SUCCESS
        is_labelled = (label := _LABEL_INSIDE.search(piece.before)) is not None and is_check(label["name"])
        is_labelled = is_labelled or _VERIFY_WITH.fullmatch(piece.before) is not None
        if (is_said or is_labelled) and looks_runnable(piece.command) and can_verify(piece.command):
            is_against = expects_failure(f"{piece.before} . {piece.words}") or leaves_open(piece.before, piece.words)
            found.append(Unrun(piece.command, line, _AMONG_WORK) if is_against else Check(piece.command, line))
    return _settle(found, _judging(text, line, is_work=True))


def _settle(found: list[Check | Unrun], judged: list[Check | Unrun]) -> list[Check | Unrun]:
    """What was read in both ways, each command once, without what is never run."""
    kept = {one.command: one for one in found}
    for one in judged:
        if isinstance(one, Check) or not isinstance(kept.get(one.command), Unrun):
            kept[one.command] = one
    return [_refuse(one) for one in kept.values()]


def _refuse(one: Check | Unrun) -> Check | Unrun:
    if isinstance(one, Unrun):
        return one
    command = command_kinds.without_shortening(one.command)
    reason = command_kinds.why_never(command) or (_UNSEEN if find_unseen(command) else "")
    return Unrun(command, one.line, reason) if reason else Check(command, one.line)


def _judging(text: str, line: int, *, is_work: bool) -> list[Check | Unrun]:
    """The programs that judge and are asked for, and those of them that words speak against."""
    found: list[Check | Unrun] = []
    begun, is_joined = "", False  # with a command before it that is asked for
    for piece in _pieces(text) if "`" in text else ():
        before = begun + piece.before
        is_joined = is_joined and _JOINT.match(piece.before) is not None
        is_joined = is_joined or is_asked(piece.command, before, piece.words, is_work=is_work)
        if command_kinds.judges(piece.command) and is_joined:
            is_against = expects_failure(f"{piece.before} . {piece.words}")
            reason = CONTRARY if is_against else OPEN if leaves_open(piece.before, piece.words) else ""
            found.append(Unrun(piece.command, line, reason) if reason else Check(piece.command, line))
        begun = before if is_work else ""
    return found


def _by_words(text: str, line: int, *, is_verification: bool) -> Iterator[Check | Unrun]:
    """What a criterion names to run: checks where it begins with commands, else what is not run, with the reason."""
    label = _LABELLED.match(text)
    pieces, is_plain = _pieces(text[label.end() :] if label else text), not is_verification and label is None
    reason = _why_not_run(pieces[0].command, pieces[0].words, is_plain=is_plain) if pieces else None
    if reason is None or pieces[0].before.strip("*"):
        for piece in pieces:  # those in the middle of which it says how they end, and those that end it
            is_meant = read_outcome(piece.command, piece.words) is not CommandOutcome.UNKNOWN
            if is_meant and looks_runnable(piece.command) and can_verify(piece.command):
                yield Unrun(piece.command, line, _NOT_FIRST)
        return
    said = read_label(label[0], pieces[0].command, pieces[0].words) if label else CommandOutcome.SUCCESS
    against = "" if said is CommandOutcome.SUCCESS else _REASONS.get(said, _NO_OUTCOME)
    yield _told(pieces[0].command, line, reason or against)
    is_joined = True
    for piece in pieces[1:]:
        is_joined = is_joined and _ENDS_IN_JOINT.search(piece.before) is not None
        runs = looks_runnable(piece.command)
        if is_joined:
            reason = _why_not_run(piece.command, piece.words, is_plain=is_plain and not runs)
        else:
            is_told = (runs and can_verify(piece.command)) or _WHEN.search(piece.before)
            reason = _NOT_JOINED if is_told else None
        if reason is not None:
            yield _told(piece.command, line, reason or against)


def _told(command: str, line: int, reason: str) -> Check | Unrun:
    reason = reason or (_UNSEEN if find_unseen(command) else "")
    return Unrun(command, line, reason) if reason else Check(command, line)


def _pieces(text: str) -> list[_Piece]:
    """What could be commands in a criterion; whatever it begins with is one."""
    codes = [(code, without_prompt(code["code"])) for code in CODE.finditer(text)]
    shaped = codes[:1] + [
        (code, command)
        for code, command in codes[1:]
        if looks_runnable(command) or is_script(command) or may_run(command)
    ]
    found: list[_Piece] = []
    end, words = len(text), ""
    for number in range(len(shaped) - 1, -1, -1):
        code, command = shaped[number]
        between = text[code.end() : end]
        words = words if found and _JOINT.match(between) else between
        begin = shaped[number - 1][0].end() if number else 0
        found.insert(0, _Piece(command, text[begin : code.start()], words))
        end = code.start()
    return found


def _why_not_run(command: str, words: str, *, is_plain: bool) -> str | None:
    """Why what begins a criterion is not run; "" where it is run, None where it is the name of something.

    It is run where nothing follows, or words that are known to mean success; a bullet that begins with a command also
    with a remark set apart from it that says nothing against it. Under "Verification" and behind a label, where people
    also list what is to be done, it has to be something that verifies as well.
    """
    outcome = read_outcome(command, words)
    is_meant, why = outcome is CommandOutcome.SUCCESS, _REASONS.get(outcome, _NO_OUTCOME)
    if looks_runnable(command):
        if is_meant or (is_plain and outcome is CommandOutcome.UNKNOWN and is_remark(words)):
            return "" if is_plain or can_verify(command) else _NO_JUDGE
        return why if is_plain or can_verify(command) or outcome is not CommandOutcome.UNKNOWN else _NO_JUDGE
    if is_script(command):
        return "" if is_meant else None if _IS_A_FILE.match(words) else why
    if outcome is CommandOutcome.OUTPUT and is_likely(command) and may_run(command):
        return why
    if not is_plain or not may_run(command) or not is_meant:
        return None
    return _UNKNOWN if says_nothing(words) or not is_likely(command) else ""
