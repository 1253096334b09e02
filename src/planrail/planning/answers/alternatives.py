"""How many alternatives an answer weighs: listed, headed, set in bold, or as rows or columns of a table."""

import re

from planrail.planning.answers.structure import ITEM_LEVEL, Structure
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
    r"overview|"
    r"analysis|background|context|criteria|advantage|disadvantage|rationale|next|verdict|"
    r"비교|추천|권장|장점|단점|결론|요약|대안들|결정|vergleich|empfehlung|fazit|比较|比較|推荐|推奨|结论|結論",
    re.IGNORECASE,
)


# What an item is called that weighs an alternative, where its name is nothing else.
_WEIGHING = frozenset(
    ("for", "against", "pro", "con", "plus", "minus", "good", "bad", "cost", "costs", "gain", "gains", "pour", "contre")
)
_FOR = re.compile(r"\n[ \t]+\+[ \t]")
_AGAINST = re.compile(r"\n[ \t]+[-−–][ \t]")


def weighs_by_marks(structure: Structure) -> bool:
    return _FOR.search(structure.text) is not None and _AGAINST.search(structure.text) is not None


def count_alternatives(structure: Structure, words: Words) -> int:
    return max(_listed(structure, words), _headed(structure), _named(structure), _in_tables(structure))


def _listed(structure: Structure, words: Words) -> int:
    weighing: dict[str, bool] = {}
    return sum(not _weighs(item.text, words, weighing) for item in structure.outer_items)


def _weighs(text: str, words: Words, weighing: dict[str, bool]) -> bool:
    head = _HEAD_END.split(text[:24].lower().strip(" *_`+-"), maxsplit=1)[0]
    if head not in weighing:
        weighing[head] = head.strip() in _WEIGHING or begins_with_word(head, (*words.trade_off, "pro", "con"))
    return weighing[head]


def _headed(structure: Structure) -> int:
    titles = [heading for heading in structure.headings if heading.level < ITEM_LEVEL]
    levels = [heading.level for heading in titles if not _FRAME.search(heading.title)]
    return max((levels.count(level) for level in set(levels)), default=0)


def _named(structure: Structure) -> int:
    titles = [heading.title for heading in structure.headings] + [item.text[:60] for item in structure.items]
    titles += [cell for header in structure.table_headers() for cell in header]
    return len({match[1].lower() for title in titles if (match := _OPTION.match(title.lstrip(_MARKS)))})


def _in_tables(structure: Structure) -> int:
    return len({row[0].lower() for row in structure.rows() if row and row[0]} if _has_options(structure) else ())


def _has_options(structure: Structure) -> bool:
    """Whether rows are options: a table whose columns are options has its criteria in the rows."""
    return not any(_OPTION.match(cell.lstrip(_MARKS)) for header in structure.table_headers() for cell in header)
