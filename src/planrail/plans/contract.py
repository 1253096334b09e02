"""What a plan says beside its phases: its goal and design, and the non-goals and constraints that every phase keeps.

Sections are found by their titles, in the languages that the linter knows, and by labels: `**Non-goals:** no plugins`.
A sentence by which a path stays as it is counts wherever it stands outside of the phases.
"""

import re
from collections.abc import Iterator

from planrail.base.records import record
from planrail.plans.model import Plan
from planrail.plans.text.blocks import Block, Fence, Item, Table, Text, split_cells, split_lines
from planrail.plans.text.outline import Section, outline
from planrail.plans.text.scanning import scan
from planrail.plans.words.kept_paths import list_kept
from planrail.plans.words.section_names import NON_SCOPE, announces
from planrail.plans.words.words import CONDITIONS

NON_GOAL, CONSTRAINT, DESIGN, GOAL, SCOPE = "Non-Scope", "Constraints", "Design", "Goal", "Scope"
RULES = (NON_GOAL, CONSTRAINT)
# The documents that a plan stands on: beside its file, and of the whole project. Folders end in a slash.
_OF_PLAN = ("spec.md", "requirements.md", "proposal.md", "design.md", "constitution.md", "data-model.md", "research.md")
_OF_TASKS = ("plan.md", "contracts/", "specs/")  # what tools keep beside a file of tasks
_OF_PROJECT = (
    *("constitution.md", "memory/constitution.md", ".specify/memory/constitution.md", "openspec/project.md"),
    *(".kiro/steering/", "conductor/product.md", "conductor/tech-stack.md", "agent-os/product/", "AGENTS.md"),
)
_LONGEST = 400  # characters of a rule as it is told
_MOST_WORDS = 5  # of a title that opens such a section
_LABEL = re.compile(r"[*_]{2}(?P<bold>[^*_:：]{2,50})[:：]?[*_]{2}[:：]?|(?P<plain>[^*_:：`.]{2,40})(?::(?!\S)|：)")
_BESIDE = re.compile(r"\s*[(（\[][^()（）]*[)）\]]|^[\W\d_]+|[\W_]+$")  # numbers, marks and remarks around a title
_FACTS = re.compile("known|bekannt|connu|conocid|conhecid|известн|відом|已知|既知|알려진")  # known ones are no rules
_NON_GOALS, _GOALS = re.compile(NON_SCOPE), re.compile("goal|ziel|objecti|objetiv|obiettiv|цел|ціл|目标|目標|목표")
_UNDECIDED = re.compile("alternativ|reject|consider|option|verworfen|rejet|descartad|альтернатив|отклон|方案|代替|대안")
_PATH_SIGN = re.compile(r"[`/]|\w\.\w")
_SENTENCE = re.compile(r"(?<=[.!?;])\s|(?<=[。！？；])")
_NOTHING = re.compile(r"\W*(?:none|n/?a|tbd|keine?|aucune?|ningun[oa]|нет|无|無|なし|없음|\[.*\])?\W*", re.I | re.S)


@record
class Passage:
    """A part of a document that stands outside all phases, word for word."""

    kind: str
    title: str
    text: str


@record
class PlanRule:
    """A non-goal or a constraint: what every phase has to keep. `title` is what the list is headed with."""

    title: str
    text: str
    line: int

    def __str__(self) -> str:
        told = f"{self.title}: {self.text}"
        return told if len(told) <= _LONGEST else f"{told[:_LONGEST]}… (line {self.line})"


def read_passages(text: str, plan: Plan | None = None) -> list[Passage]:
    """The goal and the design of a plan, in its order; its first words are the goal where none is headed so."""
    lines, sections = split_lines(text)[0], _list_outside(text, plan)
    told = [(part, "\n".join(lines[part.line : part.last_line]).strip()) for part in sections]
    found = [
        Passage(kind, part.text, words) for part, words in told if words and (kind := _kind_in(part)) in (GOAL, DESIGN)
    ]
    if not any(one.kind == GOAL for one in found):
        found[:0] = [Passage(GOAL, part.text, words) for part, words in told if words and part.level < 2][:1]
    return found


def read_rules(text: str, plan: Plan | None = None) -> list[PlanRule]:
    """The non-goals and the constraints of a document, each by itself: the points of lists, rows, and paragraphs."""
    work = {item.line for phase in plan.phases for item in (*phase.items, phase)} if plan is not None else set()
    found = [rule for section in _list_outside(text, plan) for rule in _read_section(section)]
    return [rule for rule in found if rule.line not in work and not _NOTHING.fullmatch(rule.text)]


def _read_section(section: Section) -> Iterator[PlanRule]:
    """The rules of a section, and the sentences of its other text that keep a path."""
    is_undecided = announces("Open Questions", section.text.lower()) or _UNDECIDED.search(section.text.lower())
    for title, line, words in _Rules(section).found:
        told = " ".join(" ".join(words).split())
        if title:
            yield PlanRule(title, told, line)
        elif not is_undecided:
            kept = [one for one in _SENTENCE.split(told) if _keeps_path(one)]
            yield from (PlanRule(section.text.strip(" :：*_.") or CONSTRAINT, one, line) for one in kept)


def _keeps_path(sentence: str) -> bool:
    return bool(_PATH_SIGN.search(sentence) and list_kept(sentence) and not CONDITIONS & set(sentence.lower().split()))


def list_documents(path: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Where the documents of a plan may lie, from the root on: those of the plan itself, and those of its project."""
    folder, _, name = path.rpartition("/")
    names = (*_OF_PLAN, *(_OF_TASKS if folder and name == "tasks.md" else ()))
    own = tuple(f"{folder}/{one}" if folder else one for one in names if one != name)
    return own, tuple(one for one in _OF_PROJECT if one not in own)


def kind_of(title: str) -> str:
    """What a title announces, "" for anything else. "Goals & Non-Goals" is a goal: labels say there what is none."""
    plain = re.split("[:：]", title.lower().replace("’", "'"), maxsplit=1)[0]
    plain = _BESIDE.sub("", _BESIDE.sub("", plain))
    if not plain or len(plain.split()) > _MOST_WORDS:
        return ""
    if announces(NON_GOAL, plain):
        return GOAL if announces(SCOPE, plain) or _GOALS.search(_NON_GOALS.sub("", plain)) else NON_GOAL
    found = next((kind for kind in (CONSTRAINT, DESIGN, GOAL, SCOPE) if announces(kind, plain)), "")
    return "" if found == CONSTRAINT and _FACTS.search(plain) else found


def _list_outside(text: str, plan: Plan | None) -> list[Section]:
    taken = {section.line for phase in plan.phases for section in phase.sections} if plan is not None else set()
    return [section for section in outline(scan(text)[1]).sections if section.line not in taken]


def _kind_in(section: Section) -> str:
    """What a section is, by its title or by one that it lies in; that of the whole document says nothing."""
    return next((kind for part in section.path() if part.level > 1 and (kind := kind_of(part.text))), "")


class _Rules:
    """The rules of one section: all of it where its title says so, else what stands under or behind a label.

    Its other text is found with no title.
    """

    def __init__(self, section: Section) -> None:
        self.headed = section.text.strip(" :：*_.") if _kind_in(section) in RULES else ""
        self.title, self.under = self.headed, ""  # what the next point belongs to, and a point inside of the last one
        self.last, self.is_open = -1, False
        self.found: list[tuple[str, int, list[str]]] = []
        for block in section.blocks:
            self._take(block)

    def _take(self, block: Block) -> None:
        line, self.last = self.last + 1, block.line
        if isinstance(block, Table):
            for number, start, row in block.rows:
                self._add(self.title, " — ".join(cell.text for cell in split_cells(row, start)), number)
        elif isinstance(block, Fence):
            if self.found and self.found[-1][0]:  # in other text it is an example
                self._go_on(block.body)
        elif isinstance(block, Item) and block.parent is not None and self.under:
            self._add(self.under, block.text, block.line)
        elif isinstance(block, Item):
            self._go_on(block.text) if block.parent is not None else self._begin(block)
        elif isinstance(block, Text):
            is_inner = block.depth or block.is_lazy or (block.line == line and not _LABEL.match(block.text))
            self._go_on(block.text) if is_inner else self._begin(block)

    def _begin(self, block: Item | Text) -> None:
        label, is_point = _LABEL.match(block.text), isinstance(block, Item)
        name = (label["bold"] or label["plain"]).strip(" .") if label else ""
        kind, rest = kind_of(name), block.text[label.end() :].strip() if label else ""
        self.under = name if kind in RULES and is_point else ""
        if kind in RULES:
            self.title = self.title if is_point else name
            self._add(name, rest, block.line)
        elif name and not rest and not is_point:  # what follows is a list of something else
            self.title = "" if kind else self.headed
            self._add("", block.text, block.line)
        else:
            self.title = self.title if is_point else self.headed
            self._add(self.title, block.text, block.line)

    def _add(self, title: str, text: str, line: int) -> None:
        self.is_open = bool(text)
        self.found += [(title, line, [text])] if self.is_open else []

    def _go_on(self, text: str) -> None:
        if self.is_open:
            self.found[-1][2].append(text)
