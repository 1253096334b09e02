"""The section `## Task Order` of TODO.md: waves of the tasks that are open, and their trees by topic. Linear, but for
the reduction of needs, which is done on sets of bits: ten thousand tasks take tens of milliseconds."""

from collections.abc import Iterable, Mapping, Sequence

from planrail.base.records import record
from planrail.tasks.statuses import marker
from planrail.tasks.views.todo import plain_line
from planrail.tasks.waves import Circle, group_waves

Needs = Mapping[int, Sequence[int]]


SECTION = "## Task Order\n\n"
_TABLE = "**Dependency Waves**:\n| Wave | Tasks | Blocked by | Topics |\n|------|-------|------------|--------|\n"
_TREES = "**Grouped by Topic** (indented = depends on parent):\n"
_CIRCULAR = 99  # the wave of tasks that wait for each other
_MOST_TOPICS = 3  # that a row of the table names
_SHORT = 40  # characters of a task that another topic tells more about
_DEEPEST = 60  # levels that are indented: a chain of thousands would fill the file with blanks
_INDENTS = ["", *(f"{'  ' * depth}└─ " for depth in range(1, _DEEPEST + 1))]
_UNCATEGORIZED = ""


@record
class TaskLine:
    number: int
    status: str
    topic: str
    dependencies: tuple[int, ...]
    gist: str


def render_order(lines: Sequence[TaskLine], topics: Sequence[str], day: str) -> str:
    """The section for the open tasks, given by number. `topics` are those that come first, `day` is the last change."""
    head = f"{SECTION}*Updated {day}. Generated from state.json dependency graph.*\n"
    if not lines:
        return head
    by_number = {line.number: line for line in lines}
    wanted = {
        line.number: tuple(number for number in line.dependencies if number in by_number) if line.dependencies else ()
        for line in lines
    }
    found = group_waves(wanted)
    waves, circle = (found.waves, found.tasks) if isinstance(found, Circle) else (found, ())
    needs = reduce_needs(wanted, [number for wave in waves for number in wave])
    names = [*dict.fromkeys([*topics, *(line.topic for line in lines if line.topic)])]
    numbered = {**dict(enumerate(waves, 1)), **({max(_CIRCULAR, len(waves) + 1): circle} if circle else {})}
    table = "".join(_rows(numbered, by_number, needs, names))
    trees = _Trees(by_number, needs).render([*names, _UNCATEGORIZED])
    return f"{head}\n{_TABLE}{table}\n{_TREES}\n{trees}"


def reduce_needs(needs: Needs, in_order: Iterable[int]) -> Needs:
    """The needs without those that follow from others. `in_order` are the tasks that can be ordered, as they are."""
    if all(len(needed) < 2 for needed in needs.values()):
        return needs
    own: dict[int, int] = {}
    above: dict[int, int] = {}  # all that a task needs, directly or not
    reduced = dict(needs)
    for at, number in enumerate(in_order):
        own[number] = at
        needed = needs[number]
        if not needed:
            above[number] = 0
        elif len(needed) == 1:
            above[number] = above[needed[0]] | 1 << own[needed[0]]
        else:
            further = 0
            for other in needed:
                further |= above[other]
            reduced[number] = left = tuple(other for other in dict.fromkeys(needed) if not further >> own[other] & 1)
            for other in left:
                further |= 1 << own[other]
            above[number] = further
    return reduced


def _rows(
    waves: Mapping[int, Sequence[int]], lines: dict[int, TaskLine], needs: Needs, topics: Sequence[str]
) -> Iterable[str]:
    ranks = {topic: at for at, topic in enumerate(topics)}
    for wave, numbers in waves.items():
        needed = sorted({need for number in numbers for need in needs[number]})
        named = sorted({lines[number].topic for number in numbers if lines[number].topic}, key=ranks.__getitem__)
        shown = [plain_line(topic).replace("|", "\\|") for topic in named[:_MOST_TOPICS]] + ["..."] * (
            len(named) > _MOST_TOPICS
        )
        yield (
            f"| {wave} | {','.join(map(str, numbers))} | {','.join(map(str, needed)) or '--'} "
            f"| {', '.join(shown) or '--'} |\n"
        )


class _Trees:
    """Tasks by topic, those that need one indented below it. A task that is needed twice is told once."""

    def __init__(self, lines: dict[int, TaskLine], needs: Needs) -> None:
        self._lines, self._needs = lines, needs
        self._followers: dict[int, list[int]] = {}
        for number in reversed(lines):  # those with the greatest number first, as a stack wants them
            for needed in needs[number]:
                self._followers.setdefault(needed, []).append(number)
        markers = {status: marker(status) for status in {line.status for line in lines.values()}}
        self._told_as = {n: f"{n} [{markers[line.status]}] — {line.gist}" for n, line in lines.items()}
        self._told: set[int] = set()

    def render(self, topics: Iterable[str]) -> str:
        members: dict[str, list[int]] = {}
        for number, line in self._lines.items():
            members.setdefault(line.topic, []).append(number)
        parts = [self._render_topic(topic, members[topic]) for topic in topics if topic in members]
        return "\n".join(part for part in parts if part)

    def _render_topic(self, topic: str, numbers: list[int]) -> str:
        """Those that need nothing first; then whatever was not reached from them."""
        out: list[str] = []
        here: set[int] = set() if topic else self._told
        needs = self._needs
        for number in (*[number for number in numbers if not needs[number]], *numbers):
            if number not in here:
                self._tell(number, topic, here, out)
        return f"### {_title(topic)}\n\n{chr(10).join(out)}\n" if out else ""

    def _tell(self, root: int, topic: str, here: set[int], out: list[str]) -> None:
        told, told_as, lines, followers = self._told, self._told_as, self._lines, self._followers
        here.add(root)
        told.add(root)
        out.append(told_as[root])
        if root not in followers:
            return
        waiting = [(number, 1) for number in followers.get(root, ()) if not topic or lines[number].topic in ("", topic)]
        while waiting:
            number, depth = waiting.pop()
            indent = _INDENTS[depth] if depth < _DEEPEST else _INDENTS[-1]
            if number in told:
                out.append(f"{indent}{self._again(number, topic)} (see above)")
                continue
            here.add(number)
            told.add(number)
            out.append(indent + told_as[number])
            for follower in followers.get(number, ()):
                if not topic or lines[follower].topic in ("", topic):
                    waiting.append((follower, depth + 1))

    def _again(self, number: int, topic: str) -> str:
        line, whole = self._lines[number], self._told_as[number]
        if not line.topic or line.topic == topic:
            return whole
        return f"{whole[: len(whole) - len(line.gist)]}({plain_line(line.topic)}: {line.gist[:_SHORT]})"


def _title(topic: str) -> str:
    if not topic:
        return "Uncategorized"
    words = plain_line(topic).replace("-", " ").split(" ")
    return " ".join(word[:1].upper() + word[1:] for word in words)
