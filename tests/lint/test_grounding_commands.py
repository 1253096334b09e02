"""Commands: the target, the script, the file or the test that they need."""

import pytest

from planrail.plans.lint.document import Severity
from tests.lint.linting import in_phase, messages, problems_of
from tests.support.tables import read_table

FILES = {
    "Makefile": ".PHONY: test lint\ntest lint: deps\n\tpytest\n\ndeps:\n\tpip install .\nVAR := x\n",
    "package.json": '{"scripts": {"build": "tsc", "test:unit": "vitest"}}',
    "web/package.json": '{"scripts": {"dev": "vite"}}',
    "scripts/smoke.sh": "true\n",
    "tools/report.py": "print(1)\n",
    "tests/test_app.py": "class TestApp:\n    def test_main(self): ...\n",
}


def _grounding(line: str, files: dict[str, str] = FILES) -> list[tuple[Severity, str]]:
    found = problems_of(in_phase(line), files=files)
    return [(problem.severity, problem.message) for problem in found if problem.rule == "grounding"]


@pytest.mark.parametrize("code", read_table("lint/tables/commands", "sound"))
def test_a_command_whose_needs_are_there_is_sound(code: str) -> None:
    assert _grounding(f"- [ ] Run `{code}`") == []


@pytest.mark.parametrize(("code", "message"), read_table("lint/tables/commands", "missing"))
def test_a_missing_target_or_script_is_an_error(code: str, message: str) -> None:
    ((severity, found),) = _grounding(f"- [ ] `{code}` passes")
    assert severity is Severity.ERROR
    assert found.startswith(message)


@pytest.mark.parametrize(
    "code",
    ["bash scripts/smok.sh", "./scripts/bench.sh --all", "python tools/missing.py", "pytest tests/test_missing.py"],
)
def test_a_missing_file_is_a_warning(code: str) -> None:
    ((severity, message),) = _grounding(f"- [ ] Run `{code}`")
    assert severity is Severity.WARNING
    assert "there is no file" in message


def test_a_missing_test_is_a_warning_with_the_closest() -> None:
    ((severity, message),) = _grounding("- [ ] Run `pytest tests/test_app.py::test_mian`")
    assert severity is Severity.WARNING
    assert message.endswith("tests/test_app.py has no test test_mian; closest: test_main")


@pytest.mark.parametrize("line", read_table("lint/tables/commands", "made by the plan"))
def test_what_the_plan_makes_is_not_broken(line: str) -> None:
    assert _grounding(line) == []


def test_where_the_targets_cannot_be_known_nothing_is_said_and_where_they_may_come_it_is_a_warning() -> None:
    unknown = ({"README.md": ""}, {"Makefile": "include other.mk\n"}, {"Makefile": "%: %.c\n\tcc $<\n"})
    for files in (*unknown, {"Makefile": "all:\n", "CMakeLists.txt": ""}):
        assert _grounding("- [ ] `make bench` passes", files) == []
    ((severity, _),) = _grounding("- [ ] Modify `Makefile`\n- [ ] `make bench` passes")
    assert severity is Severity.WARNING


@pytest.mark.parametrize("package", ["", "{", "[]", '{"scripts": 3}', '{"scripts": null}'])
def test_a_package_that_cannot_be_read_proves_nothing(package: str) -> None:
    assert _grounding("- [ ] `npm run x` passes", {"package.json": package}) == []


def test_commands_in_code_blocks_are_not_looked_up() -> None:
    assert messages("grounding", in_phase("```sh\nmake bench\n```"), files=FILES) == []
