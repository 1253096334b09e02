"""What an agent is offered: tools, resources and prompts, each with the words of the command behind it. Pure.

Nothing that answers for a person is here: no approval, no sign-off, no mark without evidence, no settings, no limits.
"""

import os
from collections.abc import Mapping
from urllib.parse import quote, unquote

from planrail.base.errors import UsageError
from planrail.base.records import record

SCHEME = "planrail://"
_LONGEST = 20_000  # characters of one argument
_PLAN = {"type": "string", "description": "path of the plan file"}
_PHASE = {"type": "string", "description": "id of the phase"}


@record
class Tool:
    """One tool. `words` begin its command line; arguments in `options` are options, the others stand behind `--`."""

    name: str
    about: str
    words: tuple[str, ...]
    properties: Mapping[str, Mapping[str, object]]
    required: tuple[str, ...] = ()
    is_read_only: bool = True
    options: tuple[str, ...] = ()
    fine: tuple[int, ...] = (0,)  # exit codes of an answer; any other is told as an error


TOOLS = {
    tool.name: tool
    for tool in (
        Tool("next", "What to do next in a plan.", ("next",), {"plan": _PLAN}),
        Tool("show", "A plan: phases, states, items, checks.", ("show", "--items"), {"plan": _PLAN}, ("plan",)),
        Tool("status", "How a plan and its run stand.", ("status",), {"plan": _PLAN}, fine=(0, 1)),
        Tool("lint", "What is wrong with a plan.", ("lint",), {"plan": _PLAN}, ("plan",), fine=(0, 1)),
        Tool("evidence", "What a run did, check by check.", ("report",), {"plan": _PLAN}, ("plan",), fine=(0, 1)),
        Tool("prime", "Tasks in hand and ready, in a few lines.", ("prime",), {}),
        Tool(
            "propose",
            "Ask a person to approve a plan file. You cannot approve it yourself.",
            ("propose",),
            {"plan": _PLAN},
            ("plan",),
            is_read_only=False,
        ),
        Tool(
            "check",
            "Run the checks of a phase on the working tree. Marks nothing.",
            ("check",),
            {"plan": _PLAN, "phase": _PHASE},
            ("plan", "phase"),
            is_read_only=False,
            fine=(0, 1),
        ),
        Tool(
            "done",
            "Mark a phase as done. Its checks are run; refused where one fails or nothing proves the work.",
            ("done",),
            {
                "plan": _PLAN,
                "phase": _PHASE,
                "commit": {"type": "boolean", "description": "commit the files of the phase"},
            },
            ("plan", "phase"),
            is_read_only=False,
            options=("commit",),
        ),
        Tool(
            "task_new",
            "Record a new task, from one sentence.",
            ("task", "new"),
            {"text": {"type": "string"}},
            ("text",),
            is_read_only=False,
        ),
    )
}


@record
class Prompt:
    about: str
    argument: str
    text: str


PROMPTS = {
    "plan": Prompt(
        "Plan before you act",
        "wish",
        "Plan this, and change nothing yet: {}\n\nLook at the code first. Write a plan file with a goal, phases, the"
        " files of each, and a check for each: a command that fails now and passes when the phase is done. Call `lint`"
        " and correct what it names, then call `propose`, and stop: a person approves the plan.",
    ),
    "execute": Prompt(
        "Carry out an approved plan, phase by phase",
        "plan",
        "Carry out the plan {}. Call `next` and do exactly the phase that it names; change nothing that the phase does"
        " not account for, and not the plan. Call `check` until it passes, then `done`, then `next` again. If a check"
        " cannot pass, say why, and stop.",
    ),
    "reload": Prompt(
        "Find the way back after a clear",
        "",
        "Call `prime`, `status` and `next`. Say in three lines where the work stands and what comes next, then go on.",
    ),
}
# What a resource of each kind is, and the command that says it.
_RESOURCES: dict[str, tuple[str, tuple[str, ...]]] = {
    "plan": ("a plan: its phases, items and checks", ("show", "--items")),
    "phase": ("one phase of a plan", ("show", "--items")),
    "run": ("how the run of a plan stands", ("status",)),
    "task": ("a task", ("task", "show")),
}


@record
class CommandCall:
    """A command to run: its words, which codes are answers; for a resource its address, and the phase that is asked."""

    words: tuple[str, ...]
    fine: tuple[int, ...] = (0,)
    uri: str = ""
    phase: str = ""
    root: str = ""  # of the project whose plans are listed


def list_tools() -> list[dict[str, object]]:
    """As `tools/list` has them."""
    told = list[dict[str, object]]()
    for tool in TOOLS.values():
        schema: dict[str, object] = {"type": "object", "properties": tool.properties, "additionalProperties": False}
        schema |= {"required": list(tool.required)} if tool.required else {}
        marks = {"readOnlyHint": True} if tool.is_read_only else {"readOnlyHint": False, "destructiveHint": False}
        told.append({"name": tool.name, "description": tool.about, "inputSchema": schema, "annotations": marks})
    return told


def list_prompts() -> list[dict[str, object]]:
    """As `prompts/list` has them."""
    told = list[dict[str, object]]()
    for name, prompt in PROMPTS.items():
        arguments = [{"name": prompt.argument, "required": True}] if prompt.argument else []
        told.append({"name": name, "description": prompt.about, "arguments": arguments})
    return told


def list_templates() -> list[dict[str, str]]:
    """As `resources/templates/list` has them."""
    forms = {"plan": "{path}", "phase": "{path}/{id}", "run": "{path}", "task": "{number}"}
    return [
        {"uriTemplate": f"{SCHEME}{kind}/{form}", "name": kind, "description": _RESOURCES[kind][0]}
        | {"mimeType": "application/json"}
        for kind, form in forms.items()
    ]


def list_plans(told: object, root: str) -> list[dict[str, str]]:
    """As `resources/list` has them, of what `planrail list plans` says."""
    rows = told.get("plans") if isinstance(told, dict) else None
    paths = [(os.path.relpath(str(row["path"]), root), row) for row in rows or () if row.get("path")]
    return [
        {"uri": f"{SCHEME}plan/{quote(path, safe='')}", "name": path, "title": str(row.get("title") or path)}
        | {"mimeType": "application/json"}
        for path, row in paths
        if not path.startswith("..")
    ]


def call_tool(name: str, given: Mapping[str, object], root: str) -> CommandCall:
    """The command of a tool with these arguments. Raises `UsageError` for what it does not take."""
    tool = TOOLS[name]
    if unknown := sorted(set(given) - set(tool.properties)):
        raise UsageError(
            f"{name} takes no {unknown[0]!r}", remedy=f"it takes {', '.join(tool.properties) or 'nothing'}"
        )
    if missing := [one for one in tool.required if one not in given]:
        raise UsageError(f"{name} needs {missing[0]!r}")
    for key, value in given.items():
        _hold_to_kind(key, value, tool.properties[key]["type"])
    options = [f"--{key}" for key in tool.options if given.get(key)]
    words = [
        _as_word(key, str(given[key]), root) for key in tool.properties if key in given and key not in tool.options
    ]
    return CommandCall((*tool.words, *options, "--json", "--", *words), tool.fine)


def _hold_to_kind(key: str, value: object, kind: object) -> None:
    if not isinstance(value, bool if kind == "boolean" else str):
        raise UsageError(f"{key} is a {kind}")
    if isinstance(value, str) and (not value.strip() or len(value) > _LONGEST or "\0" in value):
        raise UsageError(f"{key} is empty, too long, or no text")


def _as_word(key: str, value: str, root: str) -> str:
    """An argument as the command gets it; a plan lies in the project, wherever a link leads."""
    if key != "plan":
        return value if value != "-" else "./-"  # which would read standard input
    top, path = os.path.realpath(root), os.path.realpath(os.path.join(root, value))
    if path != top and not path.startswith(f"{top}{os.sep}"):
        raise UsageError(f"{value} lies outside of this project", remedy="name a plan of this project")
    return os.path.relpath(path, top)


def read_resource(uri: str, root: str) -> CommandCall:
    """The command that says what a resource holds. Raises `UsageError` where there is none of that name."""
    kind, _, rest = uri.removeprefix(SCHEME).partition("/")
    if not uri.startswith(SCHEME) or kind not in _RESOURCES or not rest:
        raise UsageError(f"there is no resource {uri}", remedy=f"{SCHEME}plan/PATH")
    path, _, phase = rest.rpartition("/") if kind == "phase" else (rest, "", "")
    value = unquote(path)
    _hold_to_kind(kind, value, "string")
    word = _as_word("number" if kind == "task" else "plan", value, root)
    return CommandCall((*_RESOURCES[kind][1], "--json", "--", word), (0, 1), uri, unquote(phase))


def fill_prompt(name: str, given: Mapping[str, object]) -> dict[str, object]:
    """As `prompts/get` has it."""
    prompt = PROMPTS[name]
    value = str(given.get(prompt.argument) or "") if prompt.argument else ""
    if prompt.argument and not value.strip():
        raise UsageError(f"the prompt {name} needs {prompt.argument!r}")
    content = {"type": "text", "text": prompt.text.replace("{}", value)}
    return {"description": prompt.about, "messages": [{"role": "user", "content": content}]}
