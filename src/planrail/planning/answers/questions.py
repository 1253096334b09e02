"""The questions that a plan leaves to a person, and the answers that each of them offers.

They stand in the section Open Questions, one item each; likely answers end an item in parentheses: (a / b / c). What
is ticked, struck out or answered is no question any more, and neither is "None.".
"""

import re
from collections.abc import Iterator

from planrail.planning.answers.plan_sections import Mark, Scanned, top_level
from planrail.plans.text.blocks import Block, Item, Table, Text, split_cells

_NAME = "Open Questions"
LONGEST = 600  # characters of a question that are shown

# "None." in the shipped languages: the whole item, but for what follows a stop, a comma or a dash.
_NONE = re.compile(
    r"no\W*$|(?:there (?:are|is) )?(?:none|nothing|nil|n/a|not applicable|"
    r"no (?:further |more |remaining |open )*questions?|"
    r"all (?:questions )?(?:are )?(?:resolved|answered|settled|decided))\b|"
    r"없음|없습니다|없다|해당 없음|모두 해결|"
    r"(?:keine|nichts|entfällt|aucune?|rien|néant|sans objet|ninguna?|nada|no hay|no aplica|nenhuma?|não há|"
    r"nessuna?|niente|nulla|нет|отсутствуют|немає|відсутні|brak|żadne|nie ma|yok|bulunmuyor)\b|"
    r"无|無|没有|沒有|なし|ありません|特になし",
    re.IGNORECASE,
)
_ANSWERED = re.compile(
    r"(?:re)?(?:solved|answered|decided|closed|settled|answer|decision|assumption|assumed|"
    r"해결됨?|답변?|결정됨?|가정|geklärt|beantwortet|entschieden|antwort|annahme|résolu|répondu|décidé|réponse|hypothèse|"
    r"resuelta?|respondida?|decidid[oa]|respuesta|suposición|resolvid[oa]|resposta|risolt[oa]|decis[oa]|risposta|"
    r"решено|отвечено|ответ|вирішено|відповідь|rozwiązane|odpowiedź|çözüldü|yanıt|cevap|"
    r"已解决|已解決|已回答|已决定|已決定|答案?|解決済み?|回答済み?|決定済み?|回答)\s*[:：)\]–—-]",
    re.IGNORECASE,
)
_STRUCK = re.compile(r"~~.+~~\W*$")
_DECORATION = " \t*_`>✅☑✔"
_ASKS = ("?", "？", "؟", "⸮")
_OPTIONS = re.compile(r"\s*[(（](?P<options>[^()（）]*(?:\([^()]*\)[^()（）]*)*)[)）]\s*[?？.]*\s*$")
_BETWEEN = re.compile(r"\s+/\s+|\s*[|｜]\s*|\s+／\s*")


def open_questions(plan: str) -> tuple[str, ...]:
    page = Scanned(plan)
    mark = _find_section(page)
    if mark is None:
        return ()
    found = [question for question in _asked(_section(page, mark)) if question]
    if len(mark.names) > 1:  # "Risks & Open Questions": not every item asks
        found = [question for question in found if split_options(question)[0].endswith(_ASKS)]
    return tuple(dict.fromkeys(found))


def split_options(question: str) -> tuple[str, tuple[str, ...]]:
    """The question without the answers that it offers in parentheses, and those; () where it offers none."""
    found = _OPTIONS.search(question)
    options = tuple(part.strip() for part in _BETWEEN.split(found["options"]) if part.strip()) if found else ()
    if found is None or len(options) < 2:
        return question, ()
    return question[: found.start()].rstrip(), options


def says_none(text: str) -> bool:
    """Whether a text on one line says that there is nothing: "None.", "n/a", in any of the shipped languages."""
    return _NONE.match(text) is not None


def _find_section(page: Scanned) -> Mark | None:
    level = top_level(page.marks)
    return next((mark for mark in page.marks if _NAME in mark.names and mark.level == level), None)


def _section(page: Scanned, first: Mark) -> list[Block]:
    end = _end(page, first)
    inside = [block for block in page.blocks if first.line < block.line < end]
    rest = page.lines[first.line - 1].partition(first.text)[2].strip(" *_:：") if first.level > 6 else ""
    return [*([Text(first.line, rest, first.start, 0)] if rest else []), *inside]


def _end(page: Scanned, first: Mark) -> int:
    after = (mark for mark in page.marks if mark.line > first.line)
    following = next((mark for mark in after if mark.level <= first.level and _NAME not in mark.names), None)
    return following.line if following else len(page.lines) + 1


def _asked(blocks: list[Block]) -> Iterator[str]:
    """The questions among blocks: items, rows, and lines that end with a question mark.

    An item below another is a remark on it; where it holds the answer, the question above is closed.
    """
    closed = {block.parent for block in blocks if isinstance(block, Item) and block.parent and _is_answer(block.text)}
    for block in blocks:
        if isinstance(block, Item) and block.parent is None:
            yield "" if block.is_closed or block in closed else _question(block.text)
        elif isinstance(block, Text) and not block.depth:
            yield _question(block.text) if block.text.rstrip(_DECORATION).endswith(_ASKS) else ""
        elif isinstance(block, Table):
            yield from (_question(_row(row)) for _, _, row in block.rows)


def _row(row: str) -> str:
    return next((cell.text for cell in split_cells(row, 0) if cell.text.rstrip().endswith(_ASKS)), "")


def _question(text: str) -> str:
    plain = " ".join(text.replace("**", "").replace("__", "").split()).strip(_DECORATION)
    is_none = _NONE.match(plain) and not plain.endswith(_ASKS)
    if not any(character.isalnum() for character in plain) or is_none or _is_answer(plain) or _STRUCK.match(plain):
        return ""
    return plain[:LONGEST]


def _is_answer(text: str) -> bool:
    return bool(_ANSWERED.match(text.strip(f"{_DECORATION}([")))
