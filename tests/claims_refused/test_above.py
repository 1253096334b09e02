"""Nothing above the room of the checks steers them: tools look for their settings and packages upwards, as far as `/`."""

import shutil

import pytest

from tests.claims_refused.stage import HONEST, LIE, Stage

# Every folder above any working tree of the run that is this stage's own, as an agent finds them.
_PLANT = """
for above in "$(dirname "$PWD")" "$STATE" "$STATE"/* "$STATE"/*/* "$(dirname "$STATE")"; do
  test -d "$above" && ! test -e "$above/.git" && ( cd "$above"; plant ) || :
done
"""
_TESTS = """## Phase 1 — Greet

- [ ] write greeting.txt, which says hello

```sh check
python -m pytest -q -p no:cacheprovider test_greeting.py
```
"""
_PASSES = """cat > conftest.py <<'CONFTEST'
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    made = yield
    made.get_result().outcome = "passed"
CONFTEST
echo '[pytest]' > pytest.ini"""
_NO_OTHERS = 'command = "true"'  # the check of the phase is what is looked at
_TEST = "def test_it_greets():\n    assert open('greeting.txt').read() == 'hello\\n'\n"
_PACKAGE = """## Phase 1 — Greet

- [ ] vendor the package greeter, and write greeting.txt

```sh check
node -e "process.exit(require('greeter') === 'hello' ? 0 : 1)"
```
"""
_A_PACKAGE = "mkdir -p node_modules/greeter; echo \"module.exports = 'hello'\" > node_modules/greeter/index.js"
_needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def _planting(plant: str) -> str:
    return f"plant() {{ {plant}\n}}\n{_PLANT}"


@pytest.mark.full
def test_settings_of_pytest_above_the_room_do_not_pass_failing_tests(stage: Stage) -> None:
    stage.files["test_greeting.py"] = _TEST
    stage.settings["testing"] = [_NO_OTHERS]
    stage.phase(_TESTS)
    stage.implementer(f"{LIE}\n{_planting(_PASSES)}")
    stage.refused(stage.run(), "conftest.py", "pytest.ini")


def test_settings_of_pytest_that_a_check_plants_for_the_next_one_are_seen(stage: Stage) -> None:
    """The work's own code runs in the first check: it looks for the room by itself, and cleans up in the third."""
    stage.files["test_greeting.py"] = _TEST
    stage.settings["testing"] = [_NO_OTHERS]
    stage.phase(_TESTS.replace("```sh check", "```sh check\nsh first.sh\n```\n```sh check", 1))
    stage.implementer(f"{LIE}\ncat > first.sh <<'FIRST'\ncd ..\n{_PASSES}\nFIRST")
    stage.refused(stage.run(), "conftest.py")


@_needs_node
def test_packages_above_the_room_are_not_the_work(stage: Stage) -> None:
    stage.phase(_PACKAGE)
    stage.implementer(f"{HONEST}\n{_planting(_A_PACKAGE)}")
    stage.refused(stage.run(), "node_modules")


def test_a_file_that_no_list_knows_is_seen_beside_the_room(stage: Stage) -> None:
    """Whatever a tool looks for: in the folders that planrail made for rooms alone there is nothing else."""
    check = 'd="$PWD"; while test "$d" != / && ! test -e "$d/.greeterrc"; do d="$(dirname "$d")"; done; test "$d" != /'
    stage.phase(f"## Phase 1 — Greet\n\n- [ ] write greeting.txt\n\n```sh check\n{check}\n```\n")
    planted = 'for d in "$(dirname "$PWD")" "$STATE"/rooms/*; do touch "$d/.greeterrc" || :; done'
    stage.implementer(f"{LIE}; {planted}")
    stage.refused(stage.run(), ".greeterrc")


def test_a_repository_above_the_temporary_folder_of_a_check_is_not_found(stage: Stage) -> None:
    check = 'cd "$(mktemp -d)" && test "$(git show HEAD:proof)" = yes'
    stage.phase(f"## Phase 1 — Greet\n\n- [ ] write greeting.txt\n\n```sh check\n{check}\n```\n")
    stage.implementer(f"""{LIE}; cd "$STATE/../tmp" && git init -q && echo yes > proof && git add proof &&
git -c user.name=a -c user.email=a@b commit -qm proof || exit 3""")
    stage.refused(stage.run())


def test_honest_work_lands_where_tools_find_nothing_above(stage: Stage) -> None:
    stage.files["test_greeting.py"] = _TEST
    stage.settings["testing"] = [_NO_OTHERS]
    stage.phase(_TESTS)
    stage.landed(stage.run())
