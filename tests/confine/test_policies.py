"""What each role may reach, as data: the deepest rule wins, whatever order the lists are in."""

import os
from pathlib import Path

import pytest

from planrail.confine.places import CACHES, SECRETS
from planrail.confine.policies import (
    HIDDEN,
    LOOPBACK,
    OFF,
    ON,
    PRIVATE,
    READ,
    WRITE,
    AccessRule,
    Confinement,
    check_policy,
    inner_environment,
    look_policy,
    settle,
)


def _make(top: Path, *names: str) -> None:
    for name in names:
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(exist_ok=True) if name.endswith("/") else path.write_text("")


def _rules(top: Path, policy: Confinement) -> dict[str, str]:
    return {os.path.relpath(rule.path, top): rule.access for rule in settle(policy) if rule.path.startswith(f"{top}/")}


def _environment(top: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(top / "home"), "PATH": "/usr/bin:/bin", **more}


def test_a_check_writes_its_workspace_and_its_scratch_folder_alone(tmp_path: Path) -> None:
    _make(tmp_path, "rooms/work/", "scratch/", "home/.ssh/", "home/.cargo/credentials.toml", "state/ledger")
    policy = check_policy(
        str(tmp_path / "rooms/work"),
        str(tmp_path / "scratch"),
        _environment(tmp_path),
        OFF,
        hidden=[str(tmp_path / "state")],
    )
    assert _rules(tmp_path, policy) == {
        "home": PRIVATE,
        "home/.cargo": READ,
        "home/.cargo/credentials.toml": HIDDEN,
        "rooms/work": WRITE,
        "scratch": WRITE,
    }


def test_what_is_opened_is_no_secret_any_more_but_for_what_planrail_keeps(tmp_path: Path) -> None:
    _make(tmp_path, "rooms/work/", "scratch/", "home/.npmrc", "home/.ssh/", "home/.docker/", "state/", "kept/")
    place = {name: str(tmp_path / name) for name in ("home/.npmrc", "home/.docker", "state", "kept")}
    policy = check_policy(
        str(tmp_path / "rooms/work"),
        str(tmp_path / "scratch"),
        _environment(tmp_path),
        OFF,
        readable=[place["home/.npmrc"], place["kept"]],
        writable=[place["home/.docker"], place["state"]],
        hidden=[place["state"], place["kept"]],
    )
    rules = _rules(tmp_path, policy)
    assert (rules["home/.npmrc"], rules["home/.docker"]) == (READ, WRITE)
    assert not {"state", "kept", "home/.ssh"} & rules.keys()  # what is above them is empty
    given = {"DOCKER_HOST": f"unix://{place['home/.docker']}/s", "SSH_AUTH_SOCK": str(tmp_path / "s")}
    assert inner_environment(policy, given, moves_home=False).keys() == {"DOCKER_HOST", "TMPDIR"}


def test_parents_come_before_what_is_in_them(tmp_path: Path) -> None:
    _make(tmp_path, "home/.cargo/bin/", "home/go/", "scratch/", "work/")
    policy = check_policy(str(tmp_path / "work"), str(tmp_path / "scratch"), _environment(tmp_path), ON)
    paths = [rule.path for rule in settle(policy)]
    assert paths == sorted(paths)


def test_tools_are_readable_wherever_they_are(tmp_path: Path) -> None:
    _make(tmp_path, "home/conda/bin/", "home/conda/lib/", "home/own/bin/", "home/.local/bin/", "home/.local/state/")
    _make(tmp_path, "home/rust/", "scratch/", "work/")
    path = os.pathsep.join(str(tmp_path / "home" / name) for name in ("conda/bin", ".local/bin"))
    environment = _environment(tmp_path, PATH=path, CARGO_HOME=str(tmp_path / "home/rust"))
    rules = _rules(tmp_path, look_policy([str(tmp_path / "work")], str(tmp_path / "scratch"), environment, ["/state"]))
    assert rules == {
        "home": PRIVATE,
        "home/conda": READ,
        "home/rust": READ,
        "home/.local/bin": READ,
        "scratch": WRITE,
        "work": READ,
    }


def test_a_home_folder_that_is_the_project_keeps_its_secrets(tmp_path: Path) -> None:
    _make(tmp_path, "home/.ssh/id", "home/.npmrc", "home/notes", "scratch/")
    policy = look_policy([str(tmp_path / "home")], str(tmp_path / "scratch"), _environment(tmp_path), ["/state"])
    assert _rules(tmp_path, policy) == {
        "home": READ,
        "home/.npmrc": HIDDEN,
        "home/.ssh": HIDDEN,
        "scratch": WRITE,
    }


def test_a_cache_that_is_a_link_is_seen_where_the_link_is(tmp_path: Path) -> None:
    _make(tmp_path, "disk/cargo/", "home/", "scratch/", "work/")
    (tmp_path / "home/.cargo").symlink_to(tmp_path / "disk/cargo")
    policy = look_policy([], str(tmp_path / "scratch"), _environment(tmp_path), ["/state"])
    there = str(tmp_path / "disk/cargo")
    assert AccessRule(str(tmp_path / "home/.cargo"), READ, there, True) in settle(policy)


def test_a_cache_that_is_a_link_to_a_secret_stays_hidden(tmp_path: Path) -> None:
    _make(tmp_path, "home/.ssh/id", "scratch/", "work/")
    (tmp_path / "home/.cargo").symlink_to(tmp_path / "home/.ssh")
    policy = look_policy([str(tmp_path / "home")], str(tmp_path / "scratch"), _environment(tmp_path), ["/state"])
    assert _rules(tmp_path, policy)["home/.ssh"] == HIDDEN


def test_what_is_not_there_has_no_rule(tmp_path: Path) -> None:
    policy = look_policy([str(tmp_path / "gone")], str(tmp_path), _environment(tmp_path), [str(tmp_path / "no")])
    assert _rules(tmp_path, policy) == {}


def test_every_folder_above_a_workspace_is_emptied_from_the_highest_one_on_that_its_user_can_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planrail.confine.policies.SHARED_PLACES", ())
    _make(tmp_path, "a/b/work/", "scratch/")
    policy = check_policy(str(tmp_path / "a/b/work"), str(tmp_path / "scratch"), {"HOME": "/nowhere"}, OFF)
    assert policy.hidden[-1] in (str(tmp_path), *map(str, tmp_path.parents))
    assert os.path.dirname(policy.hidden[-1]) == "/" or not os.access(os.path.dirname(policy.hidden[-1]), os.W_OK)


@pytest.mark.parametrize("home", ["", "/", "relative", "/home", "/usr"])
def test_a_home_folder_that_is_none_is_not_made_private(tmp_path: Path, home: str) -> None:
    policy = look_policy([], str(tmp_path), {"HOME": home, "PATH": "/usr/bin"}, ["/state"])
    assert (policy.home, policy.private) == ("", ("/tmp", "/var/tmp"))


@pytest.mark.parametrize(("network", "is_hidden"), [(OFF, True), (LOOPBACK, True), (ON, False)])
def test_the_sockets_of_services_are_hidden_with_the_network(tmp_path: Path, network: str, is_hidden: bool) -> None:
    policy = check_policy(str(tmp_path), str(tmp_path), {"HOME": "/nowhere"}, network)
    assert ("/run" in policy.hidden, "/run/docker.sock" in policy.hidden) == (is_hidden, True)


def test_no_cache_is_a_secret() -> None:
    assert not [(cache, secret) for cache in CACHES for secret in SECRETS if f"{cache}/".startswith(f"{secret}/")]


def test_variables_that_lead_to_sockets_and_keys_are_taken_away() -> None:
    given = {"SSH_AUTH_SOCK": "/x", "DOCKER_HOST": "x", "AWS_SECRET_ACCESS_KEY": "x", "TMUX_PANE": "%1", "LANG": "C"}
    given |= {"DBUS_SESSION_BUS_ADDRESS": "x", "PLANRAIL_STATE_DIR": "/s", "HOME": "/home/me", "TMPDIR": "/elsewhere"}
    policy = Confinement("/scratch", home="/home/me")
    assert inner_environment(policy, given, moves_home=False) == {
        "LANG": "C",
        "HOME": "/home/me",
        "TMPDIR": "/scratch/tmp",
    }
    assert inner_environment(policy, given, moves_home=True)["HOME"] == "/scratch/home"
