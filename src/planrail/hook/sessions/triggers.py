"""What the user types to steer planrail: anchored commands, and a small set of whole phrases.

A prompt that merely mentions a plan triggers nothing: "do not execute the plan yet" is a sentence, not a command.
"""

from planrail.base.records import record

PLAN = "plan"  # enter plan mode, with a text to start from; in plan mode: show the plan
OPEN = "open"  # the plan, in the editor
OFF = "off"  # leave plan mode without approval
APPROVE = "approve"
AGAIN = "again"  # let the agent propose the same text once more
BLOCK = "block"  # tool blocking on or off
STATUS = "status"
LOAD = "load"  # the plan, to know it
EXECUTE = "execute"  # its current phase, to carry it out here


@record
class Command:
    """A command and what followed it."""

    verb: str
    text: str = ""
    is_phrase: bool = False  # plain words, which may mean something else where they make no sense as a command


_SLASH = {"plan": PLAN, "approve": APPROVE, "plan-off": OFF, "plan-open": OPEN, "plan-status": STATUS}
_SLASH |= {"load-plan": LOAD, "run-plan": LOAD}
_BANG = {"plan": LOAD, "load-plan": LOAD, "plan-status": STATUS}
_PLUGIN = "planrail:"
# `/plan WORD`, where the word stands alone.
_PLAN_WORDS = {"open": OPEN, "off": OFF, "exit": OFF, "cancel": OFF, "approve": APPROVE, "status": STATUS}
_BLOCK_WORDS = {"block": "on", "block on": "on", "block off": "off", "unblock": "off"}
_VERBS = {"load": LOAD, "reload": LOAD, "execute": EXECUTE, "run": EXECUTE, "start": EXECUTE}
_VERBS |= {"continue with": EXECUTE, "continue": EXECUTE, "resume": EXECUTE}
_PLAN_PHRASES = {f"{said} {article}plan": verb for said, verb in _VERBS.items() for article in ("", "the ", "my ")}
_PLAN_PHRASES |= {"execute-plan": EXECUTE, "reload": LOAD}
# With the file of a plan behind them. Alone "implement the plan" is said to an agent that has just proposed one.
_FILE_PHRASES = dict.fromkeys(("implement plan", "implement the plan", "implement my plan"), EXECUTE)
_FILE_VERBS = {"execute": EXECUTE, "implement": EXECUTE, "load": LOAD}  # "execute PLAN.md", "implement docs/plans/a.md"
_PLACES = (" in", " from", " at")
_STATUS_PHRASES = frozenset(
    ["plan status", "show progress", "show plan status", "show the plan status", "show plan progress", "plan progress"]
)
_OTHER_PHRASES = {"approve the plan": APPROVE, "approve plan": APPROVE}
# "propose it again": a polite end is left out before phrases are compared.
_OTHER_PHRASES |= dict.fromkeys(("propose", "propose it", "propose the plan"), AGAIN)
_OTHER_PHRASES |= {"enter plan mode": PLAN, "leave plan mode": OFF, "exit plan mode": OFF}
_POLITE_STARTS = ("please ", "ok ", "okay ", "ok, ", "okay, ", "now ", "yes, ", "let's ", "go ahead and ")
_POLITE_ENDS = (" please", " now", " again")
_AND_MORE = (" and ", " then ", ", ", ". ", "; ", ": ")  # a command, and what else is wanted
_DOUBTS = {"but", "cannot", "don't", "dont", "except", "if", "later", "never", "no", "not", "only", "unless", "until"}
_DOUBTS |= {"wait", "when", "yet"}
_LONGEST_PHRASE = 32
_QUOTES = "`'\""


def read_command(prompt: str) -> Command | None:
    """The command that a prompt is; None for everything else."""
    text = prompt.strip()
    if text[1:2].isspace() and text[0] in "/!":
        return None
    if text[:1] == "/":
        return _slash(text[1:])
    if text[:1] == "!":
        name, rest = _split(text[1:])
        verb = _BANG.get(name)
        is_status = name == "plan" and rest.lower() == "status"
        return Command(STATUS) if is_status else Command(verb, rest) if verb else None
    first, _, rest = text.partition("\n")
    return _phrase(text) or (_first_line(first, rest) if rest else None)


def spell(agent: str, verb: str) -> str:
    """How the user gives a command to this agent: some keep words behind a slash for themselves."""
    if agent == "claude":
        return {APPROVE: "/planrail:approve", OFF: "/planrail:plan-off", PLAN: "/planrail:plan"}[verb]
    return {APPROVE: '"approve the plan"', OFF: '"leave plan mode"', PLAN: '"enter plan mode"'}[verb]


def say_how_to_leave(agent: str, *, own_mode: bool = True) -> str:
    """The one command that ends a planning in this agent, as a sentence for the user and the agent alike."""
    if not own_mode:
        return "The user ends it in the agent itself (Claude Code: shift+tab)."
    return f"Typed by the user, {spell(agent, OFF)} ends the planning."


def _slash(text: str) -> Command | None:
    name, rest = _split(text)
    verb = _SLASH.get(name.removeprefix(_PLUGIN))
    if verb is None:
        return None
    word = " ".join(rest.lower().split()) if verb == PLAN else ""
    if word in _BLOCK_WORDS:
        return Command(BLOCK, _BLOCK_WORDS[word])
    return Command(_PLAN_WORDS[word]) if word in _PLAN_WORDS else Command(verb, rest)


def _split(text: str) -> tuple[str, str]:
    name, *rest = text.split(None, 1) or [""]
    return name, rest[0].strip() if rest else ""


def _phrase(text: str) -> Command | None:
    lowered = " ".join(text[:200].lower().split())
    for start in _POLITE_STARTS:
        lowered = lowered.removeprefix(start)
    if _strip_end(lowered, ".!?") in _STATUS_PHRASES:
        return Command(STATUS)
    phrase = _strip_end(lowered, ".!")
    if phrase in _OTHER_PHRASES:
        return Command(_OTHER_PHRASES[phrase], is_phrase=True)
    verb = _PLAN_PHRASES.get(phrase) or _first_of_several(lowered)
    return Command(verb) if verb else _named_phrase(text, phrase)


def _first_line(first: str, rest: str) -> Command | None:
    """A line of its own that loads a plan, and below it how it is to be done; nothing where the next line doubts it."""
    following = rest.strip().partition("\n")[0].lower().replace(",", " ").replace(".", " ").replace(":", " ").split()
    is_whole = first.strip(" .!").lower() != "reload" and _DOUBTS.isdisjoint(following)
    command = _phrase(first) if is_whole else None
    return command if command is not None and command.verb in (LOAD, EXECUTE) else None


def _named_phrase(text: str, phrase: str) -> Command | None:
    """A phrase with the plan that is meant: "execute the plan `login`", "load plan login.md", "execute PLAN.md".

    Any other word may be one of a sentence: "execute the plan now", "run the plan step-by-step".
    """
    said, _, last = phrase.rpartition(" ")
    is_quoted = len(last) > 2 and last[0] == last[-1] and last[0] in _QUOTES
    name = last.strip(_QUOTES) if is_quoted else last
    if not is_quoted and not name.endswith(".md"):
        return None
    for place in _PLACES:
        said = said.removesuffix(place)
    verb = _PLAN_PHRASES.get(said, "") or _FILE_PHRASES.get(said, "")
    verb = verb or (_FILE_VERBS.get(said, "") if _is_plan_file(name) else "")
    at = text.lower().rfind(last)
    return Command(verb, text[at : at + len(last)].strip(_QUOTES)) if verb else None


def _is_plan_file(name: str) -> bool:
    """Whether the path of a document says that it is a plan: "execute notes.md" is about some other file."""
    words = name.replace("/", " ").replace("_", " ").replace("-", " ").replace(".", " ").replace("@", " ").split()
    return words[-1:] == ["md"] and ("plan" in words or "plans" in words)


def _strip_end(text: str, punctuation: str) -> str:
    text = text.rstrip(punctuation)
    for end in _POLITE_ENDS:
        text = text.removesuffix(end)
    return text.rstrip(punctuation + ",")


def _first_of_several(text: str) -> str:
    """The verb of a text that begins with a phrase and goes on with another request: "run the plan and commit".

    A condition or a doubt in what follows makes it a sentence again.
    """
    ends = [text.find(mark) for mark in _AND_MORE if mark in text[: _LONGEST_PHRASE + 6]]
    verb = _PLAN_PHRASES.get(text[: min(ends)], "") if ends else ""
    if not verb or text[: min(ends)] == "reload":
        return ""
    words = text[min(ends) :].replace(",", " ").replace(".", " ").replace(":", " ").replace(";", " ").split()
    return verb if _DOUBTS.isdisjoint(words) else ""
