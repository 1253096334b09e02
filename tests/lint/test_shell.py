"""Commands that cannot fail, and commands that can."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.plans.lint.verification import why_it_cannot_fail


@pytest.mark.parametrize(
    "script",
    [
        "",
        "# only a comment",
        "true",
        "/bin/true",
        "exit 0",
        "echo done",
        "echo 'a; b | c && false'",
        "ls",
        "npm test || true",
        "npm test || echo failed",
        "npm test && npm run lint || true",
        "npm test; true",
        "test 1 = 1",
        "[ 1 -eq 1 ]",
        '[ "a" = "a" ]',
        "[ 3 -gt 2 ]",
        "test -n yes",
        "[ true ]",
        "! false",
        "echo a\necho b",
        "npm test 2>&1 | tail -20",
        "grep foo a.txt | wc -l",
        "server &",
        "X=1",
        "true > /dev/null",
        "git status",
    ],
)
def test_a_command_that_always_succeeds_is_seen(script: str) -> None:
    assert why_it_cannot_fail(script)


@pytest.mark.parametrize(
    "script",
    [
        "npm test",
        "exit $?",
        "grep -q hello hello.txt",
        "test -f hello.txt",
        "[ $(wc -l < a) -gt 3 ]",
        '[ "$x" = "$x" ]',
        "test 1 = 2",
        "! grep -q TODO src",
        "echo start && npm test",
        "echo start\nnpm test",
        "npm test\necho ok",
        "set -e\nnpm test\necho ok",
        "test -f a || exit 1\necho ok",
        "npm test || exit 1",
        "npm test | grep -q passed",
        "set -o pipefail; npm test | tee log",
        "if [ -f a ]; then true; else false; fi",
        "for f in *; do true; done",
        "(cd a && npm test)",
        "cat <<EOF\ntrue\nEOF",
        "ls missing.txt",
        "python -c 'print(1); assert x'",
        "git diff --exit-code",
        "curl -f localhost:8080 | jq -e .ok",
        "npm test &&\\\n npm run lint",
        "echo $(npm test) && test -f a",
    ],
)
def test_a_command_that_can_fail_is_left_alone(script: str) -> None:
    assert why_it_cannot_fail(script) == ""


@given(st.text(alphabet="ab01 ;&|\"'\\\n#$()[]{}<>=!-`", max_size=60))
def test_any_text_is_read(script: str) -> None:
    assert isinstance(why_it_cannot_fail(script), str)


@given(st.text(alphabet="ab ;&|\"'\n", max_size=40))
def test_a_failure_at_the_end_is_always_a_failure(script: str) -> None:
    """Whatever precedes it on its own lines, `false` can fail; an open quotation swallows it."""
    if script.count('"') % 2 == 0 and script.count("'") % 2 == 0 and '"' not in script:
        assert why_it_cannot_fail(script + "\nfalse") == ""
