"""What is in the product is there for its users: every definition is reached from a command, the hook or a process of ours."""

from pathlib import Path

from planrail import api
from planrail.guard.programs.commands import RULES
from tests.house.reachability import Definition, Module, named_in_program, read_modules, unreached

_SOURCE = Path(__file__).parents[2] / "src"
_WRAPPER = _SOURCE / "planrail" / "plugin" / "hooks" / "planrail-hook"
# What `planrail.cli.main` asks of the module of a command.
_OF_A_COMMAND = ("configure", "run", "answer", "hand_over", "MIXES_WORDS", "WORDS", "COMMANDS")
# For others to build on, and a project to try planrail on: nobody in the product calls them.
_FOR_OTHERS = ("planrail.testing", "planrail.examples")
# Names that a class or module must have for someone else's sake, with the one who asks.
_ASKED_BY_OTHERS = {
    "TYPE_CHECKING",  # mypy
    *("_Console.show_cursor", "_Drawn.position_cursor"),  # rich
}


def test_every_definition_is_reached() -> None:
    modules = read_modules(_SOURCE)
    found = [
        f"{module}: {name}"
        for module, name in unreached(modules, _roots(modules))
        if not module.startswith(_FOR_OTHERS) and name not in _ASKED_BY_OTHERS
    ]
    assert not found, "no way through the product leads to these; delete them, with the tests of them:\n" + "\n".join(
        found
    )


def _roots(modules: dict[str, Module]) -> list[Definition]:
    roots = [
        Definition("planrail.__main__", ""),
        *named_in_program(_WRAPPER.read_text(encoding="utf-8")),
    ]
    roots += [Definition("planrail.api", name) for name in api.__all__]
    for name in modules:
        if name.startswith("planrail.cli.") and name.endswith("_command"):
            roots += [Definition(name, asked) for asked in _OF_A_COMMAND]
        elif name.startswith("planrail.agents.") and "DRIVER" in modules[name].definitions:
            roots.append(Definition(name, "DRIVER"))
    rules = [line.split()[0].partition(".") for line in RULES.strip().split("\n")]
    return roots + [Definition(f"planrail.guard.programs.{module}", function) for module, _, function in rules]


def test_a_definition_that_only_dead_code_uses_is_found(tmp_path: Path) -> None:
    package = tmp_path / "planrail"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(
        "from planrail import hub\nfrom planrail.used import Thing\nhub.stop(Thing().act())\n"
    )
    (package / "hub.py").write_text(
        "from planrail.other import rest as rest\nfrom planrail.other import stop as stop\n"
    )
    (package / "used.py").write_text(
        "class Thing:\n    def act(self):\n        return helper()\n    def rest(self): ...\n"
        "def helper():\n    'As lonely does.'\n"
        "    from planrail.late import loaded\n    return loaded('from planrail.other import start')\n"
        "def lonely():\n    return other_lonely()\n"
        "def other_lonely():\n    return lonely()\n"
    )
    (package / "late.py").write_text("LIMIT, FREE = 3, 4\ndef loaded(text):\n    return LIMIT\n")
    (package / "other.py").write_text("def start(): ...\ndef stop(thing): ...\ndef rest(): ...\n")
    modules = read_modules(tmp_path)
    assert set(unreached(modules, [Definition("planrail.__main__", "")])) == {
        Definition("planrail.used", "Thing.rest"),
        Definition("planrail.used", "lonely"),
        Definition("planrail.used", "other_lonely"),
        Definition("planrail.late", "FREE"),
        Definition("planrail.other", "rest"),
    }
