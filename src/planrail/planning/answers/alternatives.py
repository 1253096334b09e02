"""How many alternatives an answer weighs: listed, headed, set in bold, or as rows or columns of a table."""

import re

from planrail.planning.answers.page import ITEM_LEVEL, Page, Point
from planrail.planning.answers.words import Words, begins_with_word

_OPTION = re.compile(
    r"(?:(?:option|alternative|approach|variant|solution|choice|strategy|design|variante|lösung|opción|opção|opzione|"
    r"вариант|варіант|opcja|seçenek)(?=[\s#:.])|옵션|대안|방안|방법|선택지|方案|选项|選項|案|選択肢)"
    r"\s*[#:.]?\s*([a-z0-9]|[ivx]{1,4}|[가-하])(?!\w)",
    re.IGNORECASE,
)
_MARKS = " \t*_`[(#0123456789.):-"
_HEAD_END = re.compile(r"[:：*_–—(]")
# Headings that frame the options, or say something about them, and are none.
_FRAME = re.compile(
    r"alternatives|options|approaches|comparison|recommend|trade-?\s?off|pros\b|cons\b|summary|conclusion|decision|"
    r"overview|analysis|background|context|criteria|advantage|disadvantage|rationale|next|verdict|"
    r"비교|추천|권장|장점|단점|결론|요약|대안들|결정|vergleich|empfehlung|fazit|比较|比較|推荐|推奨|结论|結論",
    re.IGNORECASE,
)
# What an item is called that weighs an alternative, where its name is nothing else.
_WEIGHING = frozenset(
    ("for", "against", "pro", "con", "plus", "minus", "good", "bad", "cost", "costs", "gain", "gains", "pour", "contre")
)
_FOR = re.compile(r"\n[ \t]+\+[ \t]")
_AGAINST = re.compile(r"\n[ \t]+[-−–][ \t]")


def weighs_by_marks(said: str) -> bool:
    return _FOR.search(said) is not None and _AGAINST.search(said) is not None


def count_alternatives(page: Page, words: Words) -> int:
    weighing: dict[str, bool] = {}
    for point in page.outer_points:
        head = _head(point)
        if head not in weighing:
            weighing[head] = head.strip() in _WEIGHING or begins_with_word(head, (*words.trade_off, "pro", "con"))
    listed = sum(not weighing[_head(point)] for point in page.outer_points)
    titles = [title for title in page.headings if title.level < ITEM_LEVEL]
    levels = [title.level for title in titles if not _FRAME.search(title.text)]
    headed = max((levels.count(level) for level in set(levels)), default=0)
    columns = {match[1].lower() for table in page.tables for cell in table.header if (match := _option(cell.text))}
    texts = [title.text for title in page.headings] + [point.text[:60] for point in page.points]
    named = columns | {match[1].lower() for text in texts if (match := _option(text))}
    # A table whose columns are options has its criteria in the rows.
    rows = {row[0].lower() for row in page.rows() if row[0]} if not columns else ()
    return max(listed, headed, len(named), len(rows))


def _head(point: Point) -> str:
    return _HEAD_END.split(point.text[:24].lower().strip(" *_`+-"), maxsplit=1)[0]


def _option(text: str) -> re.Match[str] | None:
    return _OPTION.match(text.lstrip(_MARKS))
