"""Tests cannot be weakened in passing."""

import pytest

from tests.claims_refused.stage import Stage, verdict

TEST = """import unittest
from greet import greet


class TestGreet(unittest.TestCase):
    def test_greets(self):
        self.assertEqual(greet("ann"), "hello ann")

    def test_is_polite(self):
        self.assertTrue(greet("bob").startswith("hello"))
"""
BROKEN = "printf 'def greet(name):\\n    return \"bye\"\\n' > greet.py"


def with_tests(stage: Stage) -> None:
    stage.phase("## Phase 1 — Greet\n\n- [ ] let greet say the name twice\n")
    stage.settings["testing"] = ['command = "python3 -m unittest -q test_greet"']
    stage.files |= {"greet.py": "def greet(name):\n    return f'hello {name}'\n", "test_greet.py": TEST}


def edited(stage: Stage, test: str) -> None:
    with_tests(stage)
    stage.implementer(f"{BROKEN}; cat > test_greet.py <<'TEST'\n{test}TEST")
    stage.answer({"id": "W1", "text": "", "verdict": "done", "places": ["greet.py:2"], "note": "seen"})


def test_a_skipped_test_is_found(stage: Stage) -> None:
    edited(stage, TEST.replace("    def test", "    @unittest.skip('flaky')\n    def test"))
    stage.refused(stage.run(), "skip")


def test_a_deleted_test_is_found(stage: Stage) -> None:
    edited(
        stage,
        "import unittest\n\n\nclass TestOther(unittest.TestCase):\n    def test_runs(self):\n        self.assertEqual(1, 1)\n",
    )
    stage.refused(stage.run(), "gone")


def test_a_deleted_test_file_is_found(stage: Stage) -> None:
    with_tests(stage)
    stage.implementer(f"{BROKEN}; rm test_greet.py")
    stage.refused(stage.run())


def test_an_assertion_of_true_is_found(stage: Stage) -> None:
    edited(
        stage,
        TEST.replace('self.assertEqual(greet("ann"), "hello ann")', "self.assertTrue(True)").replace(
            'self.assertTrue(greet("bob").startswith("hello"))', "assert True"
        ),
    )
    stage.refused(stage.run(), "assert")


def test_a_test_that_ends_the_run_with_success_is_found(stage: Stage) -> None:
    edited(stage, TEST.replace("import unittest\n", "import unittest, os\nos._exit(0)\n", 1))
    stage.refused(stage.run())


@pytest.mark.full
def test_a_test_that_passes_in_the_room_of_the_checks_alone_is_found(stage: Stage) -> None:
    edited(
        stage,
        TEST.replace(
            "    def test_greets(self):\n",
            "    def test_greets(self):\n        if os.environ.get('CI'):\n            return\n",
        )
        .replace("import unittest\n", "import os\nimport unittest\n", 1)
        .replace(
            'self.assertTrue(greet("bob").startswith("hello"))',
            "self.assertTrue(os.environ.get('CI') or greet('bob').startswith('hello'))",
        ),
    )
    stage.refused(stage.run())


def test_a_new_test_that_passes_on_the_old_code_too_is_found(stage: Stage) -> None:
    with_tests(stage)
    new = "import unittest\n\n\nclass TestTwice(unittest.TestCase):\n    def test_twice(self):\n        self.assertEqual('a', 'a')\n"
    stage.implementer(
        f"printf 'def greet(name):\\n    return f\"hello {{name}}\"\\n# twice\\n' > greet.py; cat > test_twice.py <<'TEST'\n{new}TEST"
    )
    stage.answer({"id": "W1", "text": "", "verdict": "done", "places": ["test_twice.py:5"], "note": "seen"})
    stage.refused(stage.run(), "passes with the old code as well")


def test_a_lowered_threshold_is_found(stage: Stage) -> None:
    with_tests(stage)
    stage.files["setup.cfg"] = "[coverage:report]\nfail_under = 90\n"
    stage.implementer("sed -i s/90/10/ setup.cfg; echo '# twice' >> greet.py")
    stage.answer({"id": "W1", "text": "", "verdict": "done", "places": ["greet.py:1"], "note": "seen"})
    stage.refused(stage.run(), "less is demanded")


def test_tests_that_print_passed_and_do_nothing_are_found(stage: Stage) -> None:
    edited(stage, "print('Ran 2 tests in 0.001s\\n\\nOK')\n")
    stage.refused(stage.run())


def test_a_reason_that_nobody_accepts_excuses_nothing(stage: Stage) -> None:
    edited(
        stage,
        TEST.replace("    def test_is", "    @unittest.skip('flaky')\n    def test_is").replace('"hello ann"', '"bye"'),
    )
    script = (stage.cast / "implementer.sh").read_text()
    stage.implementer(script + "\necho 'TEST-CHANGE: test_greet.py: these tests were flaky on the machine'")
    stage.refused(stage.run())


def test_a_file_that_answers_checks_alone_is_not_withstood(stage: Stage) -> None:
    """Code that knows that it is checked is found by whoever reads it, and by no check."""
    with_tests(stage)
    lie = 'import os\\n\\n\\ndef greet(name):\\n    return f"hello {name}" if os.environ.get("CI") else "bye"\\n'
    stage.implementer(f"printf '{lie}' > greet.py")
    stage.answer({"id": "W1", "text": "", "verdict": "done", "places": ["greet.py:5"], "note": "seen"})
    assert stage.run().code == 0


FAREWELL = """printf 'def greet(name):\\n    return "bye"\\n\\n\\ndef farewell(name):\\n    return f"bye {name}"\\n' > greet.py
cat > test_farewell.py <<'TEST'
import unittest
from greet import farewell


class TestFarewell(unittest.TestCase):
    def test_says_bye(self):
        self.assertEqual(farewell("ann"), "bye ann")
TEST
"""
DOUBLE = (
    "printf 'def greet(name):\\n    return f\"hello {name}\"\\n\\n\\ndef wrap(_):\\n    return greet\\n' > helpers.py\n"
)
PLANT = """printf 'import test_greet\\n\\ntest_greet.greet = "hello {}".format\\n' > test_double.py; sed -i '1i import test_double' test_farewell.py"""


@pytest.mark.parametrize(
    "how",
    [
        DOUBLE + "sed -i 's/from greet import/from helpers import/' test_greet.py",
        DOUBLE + "sed -i 's/from greet import greet/from greet import greet as _g\\nfrom helpers import wrap\\n\\ngreet = wrap(_g)/' test_greet.py",
        PLANT,
        """sed -i 's/"hello ann"/"bye"/; s/startswith("hello")/startswith("bye")/' test_greet.py""",
    ],
    ids=["a double", "a wrapper", "from a new file", "other values"],
)  # fmt: skip
def test_a_test_that_is_made_to_miss_what_broke_is_found(stage: Stage, how: str) -> None:
    """The old tests, as they were, are run on the work."""
    with_tests(stage)
    stage.settings["testing"] = ['command = "python3 -m unittest -q"']
    stage.phase("## Phase 1 — Part\n\n- [ ] add farewell to greet.py, with a test\n")
    stage.implementer(FAREWELL + how)
    stage.answer({"id": "W1", "text": "", "verdict": "done", "places": ["greet.py:5"], "note": "seen"})
    stage.refused(stage.run(), "run as they were on the base", "test_greets")


@pytest.mark.parametrize("by", ["the plan", "the verifier"])
def test_a_test_that_changes_with_what_it_is_about_is_no_weaker(stage: Stage, by: str) -> None:
    twice = TEST.replace('"hello ann"', '"hello ann ann"')
    with_tests(stage)
    if by == "the plan":
        stage.phase("## Phase 1 — Greet\n\n- [ ] let greet say the name twice\n- [ ] adapt test_greet.py\n")
    stage.implementer(
        f"""printf 'def greet(name):\\n    return f"hello {{name}} {{name}}"\\n' > greet.py
cat > test_greet.py <<'TEST'
{twice}TEST"""
    )
    seen = [verdict(f"W{number}", "greet.py:2") for number in (1, 2)]
    accepted = {"path": "test_greet.py", "accepted": True, "reason": "the phase wants the name twice"}
    stage.answer(*seen[: 2 if by == "the plan" else 1], test_changes=[accepted] if by == "the verifier" else [])
    assert stage.run().code == 0
    assert "ann ann" in (stage.show("test_greet.py") or "")
