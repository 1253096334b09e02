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
    "BoardServer.main_loop",  # uvicorn
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
