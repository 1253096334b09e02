"""What agents are told of the whole plan beside their phase: its goal and design, what earlier phases landed, and the
documents that it stands on. In full where that is short, as files where it is long, within a budget of tokens."""

import os
import re

from planrail.approval.book import PlanFile
from planrail.base.run_model import Contract, Order, PhaseOrder
from planrail.base.wording import name_some
from planrail.git.git_writing import ask_git
from planrail.git.object_store import read_blobs
from planrail.git.trailers import read_history
from planrail.memory.quoting import quote_line
from planrail.memory.store import count_tokens
from planrail.plans.contract import list_documents, read_passages, read_rules
from planrail.runs.prompts import fence
from planrail.runs.strength.files import is_test

BUDGET = 2_400  # tokens of all this together with the rules, which are always told
_SHORT = 4_000  # characters of a document that may stand in a prompt
_LONGEST = 200_000  # characters of one that is read at all
_MOST_FILES, _MOST_DOCUMENTS, _MOST_NAMES, _MOST_PHASES, _LONGEST_LINE = 40, 15, 8, 10, 400
_MOST_COMMITS = 2_000  # of a history that are looked at
_DEFINED = re.compile(
    r"\+(?P<text> {0,4}(?:(?:export|default|pub|public|async|abstract|static) +)*"
    r"(?:def|class|function|func|fn|interface|type|struct|enum|trait) +[A-Za-z]\w*[^{;]*)"
)


def read_contract(plan_file: PlanFile, head: str, *, is_tracked: bool) -> tuple[Contract, tuple[str, ...]]:
    """What a plan says, its documents as the target at `head` has them, and the rules that stand in those."""
    own, project = list_documents(plan_file.path)
    found = {} if is_tracked else _read_files(plan_file.root, own)
    found |= _read_tracked(plan_file.root, head, (*(own if is_tracked else ()), *project))
    ruling = [(path, text) for path, text in found.items() if path.startswith(own) or path.endswith("constitution.md")]
    rules = tuple(f"{rule} ({path})" for path, text in ruling for rule in read_rules(text))
    is_text = plan_file.plan.dialect in ("markdown", "cursor")
    passages = read_passages(plan_file.source.text, plan_file.plan) if is_text else []
    # a document of a plan that is not tracked is in no workspace
    kept = tuple((path, text if len(text) <= _SHORT or not is_tracked else "") for path, text in found.items())
    return Contract(tuple((one.title, one.text) for one in passages), kept), rules


def _read_files(root: str, names: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for name in (name for name in names if os.path.isfile(os.path.join(root, name))):
        with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
            found[name] = file.read(_LONGEST)
    return found


def _read_tracked(root: str, head: str, places: tuple[str, ...]) -> dict[str, str]:
    told = ask_git(root, "ls-tree", "-r", "-z", "--full-tree", head, "--", *places) or ""
    entries = [entry.partition("\t") for entry in told.split("\0") if entry][:_MOST_FILES]
    blobs = {name: head.split()[2] for head, _, name in entries if head.split()[1] == "blob"}
    contents = zip(blobs, read_blobs(root, list(blobs.values())), strict=True)
    return {name: data.decode("utf-8", "replace")[:_LONGEST] for name, data in contents if data}


def tell_contract(order: Order, phase: PhaseOrder, place: str, landed: str = "") -> tuple[str, str]:
    """What a prompt says of the whole plan, the most important first, as long as there is room; and what the file at
    `place` has to have because there is none. Pure."""
    room = BUDGET - count_tokens("\n".join(phase.rules))
    told, longer, files = list[str](), dict[str, str](), list[str]()
    earlier = [("What earlier phases landed", landed)] if landed else []
    for name, text in (*order.contract.passages, *earlier, *order.contract.documents):
        needed, title = count_tokens(text) + 20, quote_line(name, 120)
        if not text:
            files.append(title)
        elif needed <= room:
            told.append(f"## {title}\n\n{text.strip()}")
            room -= needed
        else:
            longer[title] = text.strip()
    opening = "The plan beside its phases, word for word. This phase is one part of it:\n"
    parts = [opening + fence("plan beside its phases", "\n\n".join(told))] if told else []
    parts += [f"More of it is in {place}; read it before you begin: {', '.join(longer)}"] if longer else []
    parts += (
        [f"The plan stands on these documents; read what concerns this phase: {name_some(files, _MOST_DOCUMENTS)}"]
        if files
        else []
    )
    return "\n\n".join(parts), "\n\n".join(f"# {name}\n\n{text}" for name, text in longer.items())


def measure_overhead(prompt: str, phase: PhaseOrder) -> int:
    """About how many tokens a prompt has beside the text of the phase."""
    return count_tokens(prompt.replace(phase.text, "", 1))


def describe_landed(root: str, base: str, order: Order) -> str:
    """The phases of a plan that a commit has: titles, files, and what they define, the newest first."""
    titles = {phase.id: phase.title for phase in order.phases}
    commits = {one.commit: one.phase for one in read_history(root, base, _MOST_COMMITS) if one.plan == order.plan}
    asked = list(commits)[:_MOST_PHASES]
    if not asked:
        return ""
    words = ("--format=%x00%H", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
    told = ask_git(root, "show", *words, "--end-of-options", *asked) or ""
    diffs = [entry.split("\n") for entry in told.split("\0") if entry]
    return "\n".join(
        f"- phase {quote_line(commits[lines[0]], 60)} ({quote_line(titles.get(commits[lines[0]], ''), 120)}): "
        + _describe_diff(lines, order.path)
        for lines in diffs
        if lines[0] in commits
    )


def _describe_diff(lines: list[str], plan: str) -> str:
    names, defined, path = list[str](), list[str](), ""
    for line in lines:
        if line.startswith("diff --git "):
            path = line.rpartition(" b/")[2]
            names += [path] if path != plan else []
        elif (match := _DEFINED.match(line)) and not is_test(path):
            defined.append(match["text"].strip(" :"))
    told = [name_some(names, _MOST_NAMES)]
    told += [f"defines {'; '.join(defined[:_MOST_NAMES])}"] if defined else []
    return quote_line("; ".join(told), _LONGEST_LINE)
