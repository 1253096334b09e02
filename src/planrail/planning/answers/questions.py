"""The questions that a plan leaves to a person, and the answers that each of them offers.

They stand in the section Open Questions, one item each; likely answers end an item in parentheses: (a / b / c). What
is ticked, struck out or answered is no question any more, and neither is "None.".
"""

import re
from collections.abc import Iterator

from planrail.base.errors import UnreadablePlan
from planrail.planning.answers.judging import AnswerProblem, Bar
from planrail.planning.answers.page import LINE_LEVEL, Page, read_page, top_level
from planrail.plans.checks import read_checks
from planrail.plans.text.blocks import Block, Item, Table, Text, split_cells

LEAST_WORDS = 3  # different ones, of a section
MAY_BE_NONE = ("Non-Scope", "Risks", "Open Questions")  # these may say "None", or name one thing

_WORD = re.compile(r"\w+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PLACEHOLDERS = frozenset(("tbd", "tba", "todo", "fixme", "placeholder", "lorem", "ipsum", "xxx"))
_DASHES = frozenset(("-", "–", "—"))
_UNSPACED = "\u1100"  # from Hangul on a word is short, and some scripts do not part words at all
_LONGEST = 20_000  # characters of a section that are looked at
_CODE = re.compile(r"`[^`\n]+`|^[ \t]*(?:`{3}|~{3}|[-*+] \[)", re.MULTILINE)


def judge_content(plan: str, bar: Bar) -> list[AnswerProblem]:
    """What is empty in a plan: sections that say nothing, steps without work, nothing that would show success.

    The floors of `judging` are about structure; these are about content, for a draft and the last revision.
    """
    page = Page(plan)
    bodies = _bodies(page)
    problems = []
    empty = [name for name in bar.sections if name in bodies and not _says_something(name, bodies[name])]
    if empty:
        said = (
            f"These sections say nothing: {', '.join(empty)}. Write at least {LEAST_WORDS} words into each"
            f' ("None." is enough for {", ".join(MAY_BE_NONE)})'
        )
        problems.append(AnswerProblem("empty-section", said))
    if "Steps" not in bar.sections:
        return problems
    try:
        phases = read_page(page).phases
    except UnreadablePlan as error:
        return [*problems, AnswerProblem("unreadable", error.message)]
    if not any(phase.items for phase in phases):
        said = "Steps has no work that planrail can read: give it phases (### Phase 1: name) with items (- [ ] 1.1 …)"
        problems.append(AnswerProblem("no-work", said))
    has_criterion = any(phase.criteria or read_checks(list(phase.sections)) for phase in phases)
    if not has_criterion and not _CODE.search(bodies.get("Verification", "")):
        said = "Nothing says when the work is done: give a phase acceptance criteria, or Verification a command"
        problems.append(AnswerProblem("no-criterion", said))
    return problems


def _bodies(page: Page) -> dict[str, str]:
    """The text of each section: from its title to the next section, or heading of its level."""
    found: dict[str, str] = {}
    for at, mark in enumerate(page.marks):
        if mark.names:
            later = (page.marks[number] for number in range(at + 1, len(page.marks)))
            following = next(
                (other.start for other in later if other.names or other.level <= mark.level), len(page.text)
            )
            text = page.text[mark.start : min(following, mark.start + _LONGEST)].partition(mark.text)[2]
            if mark.level < LINE_LEVEL:  # below its line, and the one under it that may be a part of it
                text = text.partition("\n")[2]
                first, _, rest = text.partition("\n")
                text = text if first.strip(" \t\r=-") else rest
            text = _COMMENT.sub(" ", text)
            found.update((name, (found.get(name, "") + "\n" + text)[:_LONGEST]) for name in mark.names)
    return found


def _says_something(name: str, body: str) -> bool:
    words = set(_WORD.findall(body.lower())) - _PLACEHOLDERS
    if name == "Verification" and _CODE.search(body):
        return True  # a command
    if name not in MAY_BE_NONE:
        return sum((len(word) + 1) // 2 if word >= _UNSPACED else 1 for word in words) >= LEAST_WORDS
    plain = " ".join(body.split()).lstrip("-*+•> ").strip("*_ ")
    is_none = _NONE.match(plain) is not None or body.strip() in _DASHES
    return is_none or any(len(word) > 2 or word >= _UNSPACED for word in words)


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
    page = Page(plan)
    level = top_level(page.marks)
    mark = next((mark for mark in page.marks if _NAME in mark.names and mark.level == level), None)
    if mark is None:
        return ()
    after = (other for other in page.marks if other.line > mark.line)
    ends = (other.line for other in after if other.level <= mark.level and _NAME not in other.names)
    end = next(ends, len(page.lines) + 1)
    blocks = [block for block in page.blocks if mark.line < block.line < end]
    if mark.rest:
        blocks.insert(0, Text(mark.line, mark.rest, mark.start, 0))
    found = [question for question in _asked(blocks) if question]
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
            for cells in (split_cells(row, 0) for _, _, row in block.rows):
                yield _question(next((cell.text for cell in cells if cell.text.rstrip().endswith(_ASKS)), ""))


def _question(text: str) -> str:
    plain = " ".join(text.replace("**", "").replace("__", "").split()).strip(_DECORATION)
    is_none = _NONE.match(plain) and not plain.endswith(_ASKS)
    if not any(character.isalnum() for character in plain) or is_none or _is_answer(plain) or _STRUCK.match(plain):
        return ""
    return plain[:LONGEST]


def _is_answer(text: str) -> bool:
    return bool(_ANSWERED.match(text.strip(f"{_DECORATION}([")))
