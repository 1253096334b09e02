"""Trailers of landed commits: which plan and phase a commit is, on what evidence. They make landing idempotent.

They stand in the last paragraph of a message, which has nothing else than trailers in it; the same words elsewhere are
a quotation. Values are any text: what is not printable is written as `%XX`, and so is the percent sign.
"""

from planrail.base.records import record
from planrail.git.git_writing import ask_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

TRAILERS = PLAN, PHASE, EVIDENCE, CONFINED = (
    *("Planrail-Plan", "Planrail-Phase", "Planrail-Evidence"),
    "Planrail-Confined",
)
_OURS = "planrail-"
_NAME_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
_LONGEST_ASKED = 1000  # bytes of a value that git is asked for: an argument cannot be of any length
_HEX = frozenset("0123456789ABCDEF")


@record
class Landed:
    """A phase that has landed, as its commit says."""

    commit: str
    plan: str
    phase: str
    evidence: str = ""
    at: int = 0


def add_trailers(message: str, plan: str, phase: str, evidence: str, confined: str = "") -> str:
    """The message with planrail's trailers at its end; what it says itself in their name is taken out. `confined` says
    in what the agent and the checks were held, where that is known."""
    text = "\n".join(line.rstrip() for line in message.replace("\0", "").split("\n")).strip("\n") or "planrail"
    paragraphs = text.split("\n\n")
    own = [f"{PLAN}: {encode_value(plan)}", f"{PHASE}: {encode_value(phase)}", f"{EVIDENCE}: {encode_value(evidence)}"]
    own += [f"{CONFINED}: {encode_value(confined)}"] if confined else []
    last = paragraphs[-1].split("\n")
    if len(paragraphs) > 1 and _are_trailers(last):
        kept = [line for line in last if not line.lower().startswith(_OURS)]
        return "\n\n".join([*paragraphs[:-1], "\n".join([*kept, *own])]) + "\n"
    return "\n\n".join([*paragraphs, "\n".join(own)]) + "\n"


def read_trailers(message: str) -> list[tuple[str, str]]:
    """The trailers of a message, in order; a value that goes on in the next line is joined."""
    paragraphs = [part.strip("\n") for part in message.rstrip().split("\n\n")]
    lines = paragraphs[-1].split("\n")
    if len(paragraphs) < 2 or not _are_trailers(lines):
        return []
    found: list[tuple[str, str]] = []
    for line in lines:
        if line[0] in " \t":
            name, value = found.pop()
            found.append((name, f"{value} {line.strip()}"))
        else:
            name, _, value = line.partition(":")
            found.append((name, value.strip()))
    return found


def find_landed(root: str, ref: str, plan: str, phase: str, evidence: str = "", since: str = "") -> str | None:
    """The newest commit on the target's history that landed this phase; after `since`, where that is given."""
    wanted = [(PLAN, plan), (PHASE, phase), *([(EVIDENCE, evidence)] if evidence else [])]
    for landed in _search(root, ref, wanted, since):
        if _is_one(landed.plan, plan) and _is_one(landed.phase, phase) and evidence in ("", landed.evidence):
            return landed.commit
    return None


def read_history(root: str, ref: str, most: int = 0) -> list[Landed]:
    """Every phase that has landed on a ref, the newest first: what a fresh clone knows.

    `most` is how many commits in a row are looked at, where a long history must not make it slow.
    """
    return list(_search(root, ref, [(PLAN, ""), (PHASE, "")], "", most))


def _search(root: str, ref: str, wanted: list[tuple[str, str]], since: str, most: int = 0) -> "Iterable[Landed]":
    asked_for = [(name, encode_value(value).encode()[:_LONGEST_ASKED]) for name, value in wanted]
    words = [f"--grep={name}: {value.decode('utf-8', 'ignore')}".rstrip() for name, value in asked_for]
    asked = ("-F", "--all-match", *words, "-z", "--encoding=UTF-8", "--format=%H %ct%n%B")
    bound = ("--ignore-missing", f"^{ref}~{most}") if most else ()  # a history that is shorter has no such commit
    spans = (*bound, "--end-of-options", f"{since}..{ref}" if since else ref, "--")
    answer = ask_git(root, "-c", "log.showSignature=false", "log", *asked, *spans) or ""
    for entry in answer.split("\0"):
        head, _, message = entry.partition("\n")
        if head:
            commit, at = head.split(" ")
            yield from _parse(commit, int(at), message)


def _parse(commit: str, at: int, message: str) -> list[Landed]:
    """The phases of a commit: one, or several where the commits of a branch were squashed."""
    found: list[Landed] = []
    plan = ""
    for name, value in read_trailers(message):
        if name == PLAN:
            plan = decode_value(value)
        elif name == PHASE:
            found.append(Landed(commit, plan, decode_value(value), "", at))
        elif name == EVIDENCE and found and not found[-1].evidence:
            found[-1] = Landed(commit, found[-1].plan, found[-1].phase, decode_value(value), at)
    return [landed for landed in found if landed.plan]


def _are_trailers(lines: list[str]) -> bool:
    if not lines[0] or lines[0][0] in " \t":
        return False
    return all((line[:1] in (" ", "\t") and line.strip()) or _is_trailer(line) for line in lines)


def _is_trailer(line: str) -> bool:
    name, colon, value = line.partition(":")
    return bool(name and colon) and _NAME_SIGNS.issuperset(name) and value[:1] in ("", " ", "\t")


def encode_value(text: str) -> str:
    """Any text as one line without a space at its ends."""
    last = len(text) - 1
    parts = []
    for number, sign in enumerate(text):
        is_plain = sign.isprintable() and sign != "%" and not (sign == " " and number in (0, last))
        parts.append(sign if is_plain else _escape(sign))
    return "".join(parts)


def _escape(sign: str) -> str:
    is_byte = "\udc80" <= sign <= "\udcff"  # of a text that was no UTF-8
    data = sign.encode("utf-8", "surrogateescape" if is_byte else "surrogatepass")
    return "".join(f"%{byte:02X}" for byte in data)


def _is_one(found: str, wanted: str) -> bool:
    """Whether two texts are written the same way: half a character may come back as its bytes."""
    return found == wanted or encode_value(found) == encode_value(wanted)


def decode_value(text: str) -> str:
    data = bytearray()
    place = 0
    while place < len(text):
        code = text[place + 1 : place + 3]
        if text[place] == "%" and len(code) == 2 and _HEX.issuperset(code):
            data.append(int(code, 16))
            place += 3
        else:
            data += text[place].encode("utf-8", "surrogateescape")
            place += 1
    return data.decode("utf-8", "surrogateescape")
