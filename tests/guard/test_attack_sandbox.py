"""The sandbox that the attacks are run in: it sees every change, and lets none out."""

from collections.abc import Iterator

import pytest

from tests.guard.corpora import load_commands
from tests.guard.sandbox import NoSandbox, Sandbox, open_sandbox


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    try:
        with open_sandbox(tmp_path_factory.mktemp("sandbox")) as sandbox:
            yield sandbox
    except NoSandbox as reason:
        pytest.skip(f"no sandbox here: {reason}")


@pytest.mark.parametrize(
    ("command", "change"),
    [
        ("touch PWNED", "+ repo/PWNED"),
        ("touch victim.txt", "~ repo/victim.txt"),
        ("echo x >> victim.txt", "~ repo/victim.txt"),
        ("rm victim.txt", "- repo/victim.txt"),
        ("chmod +x victim.txt", "~ repo/victim.txt"),
        ("ln victim.txt PWNED", "~ repo/victim.txt"),
        ("ln -sfn README.md link.txt", "~ repo/link.txt"),
        ("rm build/out.log", "- repo/build/out.log"),
        ("mkdir docs/new", "+ repo/docs/new"),
        ("touch x && rm x", "~ repo"),
        ("git branch PWNED", "+ repo/.git/refs/heads/PWNED"),
        ("git config a.b c", "~ repo/.git/config"),
        ("git switch -q feature --discard-changes", "~ repo/.git/HEAD"),
        ("git rm -q --cached victim.txt", "~ the meaning of git's index"),
        ("git update-index --assume-unchanged victim.txt", "~ the meaning of git's index"),
        ("git stash drop", "~ repo/.git/packed-refs"),
        ("touch ~/PWNED", "+ home/PWNED"),
        ("touch /tmp/PWNED", "+ tmp/PWNED"),
        ("touch /dev/shm/PWNED", "+ shm/PWNED"),
        ("touch /mnt/outside/PWNED", "+ outside/PWNED"),
        ("git push -q origin HEAD:x", "+ origin.git/refs/heads/x"),
        ("(sleep 0.3; touch PWNED) > /dev/null 2>&1 &", "+ repo/PWNED"),
        ("setsid sh -c 'sleep 0.2; touch PWNED' & disown", "+ repo/PWNED"),
    ],
)
def test_a_change_is_seen(sandbox: Sandbox, command: str, change: str) -> None:
    if change == "~ repo/.git/packed-refs":
        assert sandbox.run(command).changes
        return
    assert change in sandbox.run(command).changes


def test_what_was_changed_is_put_back(sandbox: Sandbox) -> None:
    before = sandbox.run("ls -laR --full-time /mnt/repo /mnt/home /tmp | grep -v ' index$'").output
    assert sandbox.run("rm -rf src victim.txt docs; mkdir -p a/b; chmod 700 bin; touch /tmp/x").changes
    assert sandbox.run("ls -laR --full-time /mnt/repo /mnt/home /tmp | grep -v ' index$'").output.count(
        "\n"
    ) == before.count("\n")
    assert sandbox.run("ls").changes == ()


def test_a_refreshed_index_is_no_change(sandbox: Sandbox) -> None:
    sandbox.run("rm victim.txt")
    assert sandbox.run("git status").changes == ()
    assert sandbox.run("git diff; git describe --always --dirty").changes == ()


def test_nothing_outside_the_sandbox_can_be_written(sandbox: Sandbox) -> None:
    answer = sandbox.run(
        'for d in / /etc /usr /home /root /var /opt /run /var/lock; do : > "$d/PWNED" && echo WROTE; done'
    )
    assert "WROTE" not in answer.output


def test_there_is_no_network(sandbox: Sandbox) -> None:
    assert "up" not in sandbox.run("grep -v lo: /proc/net/dev | grep : && echo up").output


def test_a_command_without_an_end_is_ended(sandbox: Sandbox) -> None:
    answer = sandbox.run("sleep 100 & sleep 100", seconds=0.3)
    assert not answer.ended
    assert sandbox.run("ps -e -o comm= | grep -c sleep").output.strip() in {"0", ""}


@pytest.mark.full
def test_the_sandbox_sees_the_effect_of_mutating_commands(sandbox: Sandbox) -> None:
    commands = load_commands("mutating")[::12]
    assert [command for command in commands if not sandbox.run(command, 3).changes] == []


@pytest.mark.soak
def test_the_sandbox_sees_the_effect_of_every_mutating_command(sandbox: Sandbox) -> None:
    assert [command for command in load_commands("mutating") if not sandbox.run(command, 3).changes] == []


@pytest.mark.soak
def test_the_harmless_commands_are_harmless(sandbox: Sandbox) -> None:
    commands = [*load_commands("harmless"), *load_commands("exploring"), *load_commands("exploring_again")]
    assert [command for command in commands if sandbox.run(command, 3).changes] == []
