"""What checks run and load is looked at by folder; what is honest there is no change."""

import os
from pathlib import Path

import pytest

from planrail.runs.checks.environment import BYTECODE, check_environment, named_folders, places_of
from planrail.runs.checks.programs import Programs, list_newer_programs

_STEERING = (
    *("PYTHONPATH", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTEST_ADDOPTS", "PYTEST_PLUGINS", "NODE_OPTIONS", "NODE_PATH"),
    *("RUBYOPT", "RUBYLIB", "PERL5LIB", "PERL5OPT", "BASH_ENV", "ENV", "LD_PRELOAD", "GIT_DIR", "MAKEFLAGS", "GOFLAGS"),
    *("RUSTC_WRAPPER", "JAVA_TOOL_OPTIONS", "npm_config_userconfig", "PIP_CONFIG_FILE"),
)


def test_a_variable_that_steers_a_check_is_never_let_through() -> None:
    """Nor does Python load what a person has for all projects, nor is a library taken from the folder of the checks."""
    assert not set(_STEERING) & check_environment(dict.fromkeys(_STEERING, "x")).keys()
    assert check_environment({"PYTHONNOUSERSITE": ""})["PYTHONNOUSERSITE"] == "1"
    for given, kept in (("/a::b:/c", "/a:/c"), ("/a;b;/c", "/a:/c"), ("lib", None), ("", None)):
        assert check_environment({"LD_LIBRARY_PATH": given}).get("LD_LIBRARY_PATH") == kept


def _settle(*folders: Path) -> None:
    for folder in folders:
        os.utime(folder, (1, 1))


def test_a_look_that_is_not_thorough_sees_what_is_new_and_a_thorough_one_what_was_edited(tmp_path: Path) -> None:
    programs, home = tmp_path / "bin", tmp_path / "home"
    programs.mkdir()
    (programs / "judge").write_text("exit 1")
    _settle(programs, tmp_path)
    looker = Programs([str(programs)], str(home))
    before = looker.look(is_thorough=True)
    (programs / "judge").write_text("exit 0")
    assert looker.look(is_thorough=False) == before
    assert looker.look(is_thorough=True) != before
    edited = looker.look(is_thorough=True)
    (programs / "another").write_text("")
    assert looker.look(is_thorough=False).keys() - edited.keys() == {f"{programs}/another"}


def test_a_file_of_an_environment_that_gets_another_name_elsewhere_has_not_changed(tmp_path: Path) -> None:
    """uv makes such names whenever it installs a package that it has; each sets the time of the last change."""
    environment = tmp_path / "venv"
    packages = environment / "lib" / "python3.12" / "site-packages" / "greeter"
    packages.mkdir(parents=True)
    (environment / "bin").mkdir()
    (environment / "pyvenv.cfg").write_text("")
    module = packages / "__init__.py"
    module.write_text("word = 'hello'")
    os.link(module, tmp_path / "cached")
    looker = Programs([str(environment / "bin")], str(tmp_path / "home"))
    before = looker.look(is_thorough=True)
    os.link(module, tmp_path / "elsewhere")
    assert looker.look(is_thorough=True) == before
    times = module.stat()
    module.write_text("word = 'howdy'")
    os.utime(module, ns=(times.st_atime_ns, times.st_mtime_ns))
    changed = {place for place, what in looker.look(is_thorough=True).items() if before.get(place) != what}
    assert changed == {str(packages)}


@pytest.mark.parametrize("way", ["link", "interpreter", "long interpreter"])
@pytest.mark.parametrize("edited", ["lib/python3.12/site-packages/always.pth", "bin/python"])
def test_the_environment_that_a_program_on_the_path_belongs_to_is_looked_at(
    tmp_path: Path, way: str, edited: str
) -> None:
    environment, programs = tmp_path / "share" / "pipx" / "venvs" / "judge", tmp_path / "bin"
    for folder in (environment / "lib" / "python3.12" / "site-packages", environment / "bin", programs):
        folder.mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text("")
    interpreter = environment / "bin" / "python"
    interpreter.write_text("")
    if way == "link":
        (environment / "bin" / "judge").write_text("")
        (programs / "judge").symlink_to(environment / "bin" / "judge")
    elif way == "interpreter":
        (programs / "judge").write_text(f"#!{interpreter}\n")
    else:
        (programs / "judge").write_text(f'#!/bin/sh\n\'\'\'exec\' "{interpreter}" "$0" "$@"\n')
    looker = Programs([str(programs)], str(tmp_path / "home"))
    before = looker.look(is_thorough=True)
    (environment / edited).write_text("import always")
    now = looker.look(is_thorough=True)
    assert {place for place in now if now[place] != before.get(place)} == {str(environment / edited)}


def test_compiled_modules_are_told_apart(tmp_path: Path) -> None:
    packages = tmp_path / "home" / ".local" / "lib" / "python3.12" / "site-packages" / "greeter"
    packages.mkdir(parents=True)
    looker = Programs([], str(tmp_path / "home"))
    before = looker.look(is_thorough=True)
    (packages / "__pycache__").mkdir()
    (packages / "__pycache__" / "a.cpython-312.pyc").write_text("")
    now = looker.look(is_thorough=True)
    assert {place for place in now if now[place] != before.get(place)} == {BYTECODE}


def test_what_was_put_there_since_a_time_is_listed_whatever_times_it_says(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "judge").write_text("")
    os.utime(programs / "judge", (1, 1))
    given, now = {"PATH": str(programs), "HOME": str(tmp_path)}, (programs / "judge").stat().st_ctime
    assert list_newer_programs(given, now - 5) == [f"{programs}/judge"]
    assert list_newer_programs(given, now + 5) == []


def test_packages_behind_a_link_are_seen_and_counted_once(tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "python3.12" / "site-packages" / "always").mkdir(parents=True)
    own = tmp_path / "home" / ".local"
    own.mkdir(parents=True)
    looker = Programs([], str(tmp_path / "home"))
    before = looker.look(is_thorough=True)
    for name in ("lib", "lib64"):
        (own / name).symlink_to(tmp_path / "elsewhere")
    found = [place for place in looker.look(is_thorough=True).keys() - before.keys() if place.endswith("always")]
    assert found == [f"{own}/lib/python3.12/site-packages/always"]


@pytest.mark.parametrize(
    "planted",
    [
        *("versions/3.11/bin/python3.11", "versions/evil/bin/python3", "version", "libexec/pyenv-exec"),
        *("installs/node/20/bin/node", "lib/utils.bash", "plugins/evil/bin/rehash"),
        "plugins/python/etc/pyenv.d/exec/z.bash",
    ],
)
def test_what_is_beside_a_folder_of_stand_ins_is_looked_at(tmp_path: Path, planted: str) -> None:
    above = tmp_path / ".pyenv"
    for folder in ("shims", "versions/3.11/bin", "libexec", "lib", "plugins/python/bin", "installs/node/20/bin"):
        (above / folder).mkdir(parents=True)
    for name in ("version", "versions/3.11/bin/python3.11", "libexec/pyenv-exec"):
        (above / name).write_text("3.11\n")
    looker = Programs([str(above / "shims")], str(tmp_path))
    before = looker.look(is_thorough=True)
    (above / planted).parent.mkdir(parents=True, exist_ok=True)
    (above / planted).write_text("evil\n")
    now = looker.look(is_thorough=True)
    assert {place for place in now if now[place] != before.get(place)}


def test_settings_that_a_program_finds_by_where_it_is_installed_are_looked_at(tmp_path: Path) -> None:
    names = ["etc/npmrc", "lib/node_modules/npm/npmrc", "pyvenv.cfg", "pip.conf", "etc/gemrc"]
    prefix, programs = tmp_path / "node", tmp_path / "bin"
    for folder in (prefix / "bin", prefix / "etc", prefix / "lib" / "node_modules" / "npm", programs):
        folder.mkdir(parents=True)
    (prefix / "bin" / "node").write_text("")
    (programs / "node").symlink_to(prefix / "bin" / "node")
    looker = Programs([str(programs)], str(tmp_path / "home"))
    before = looker.look(is_thorough=True)
    for name in names:
        (prefix / name).write_text("script-shell=/bin/true")
    assert {f"{prefix}/{name}" for name in names} <= looker.look(is_thorough=True).keys() - before.keys()


@pytest.mark.parametrize(
    ("variable", "planted"),
    [
        ("LD_LIBRARY_PATH", "libacl.so.1"), ("MAVEN_HOME", "lib/ext/evil.jar"), ("JAVA_HOME", "bin/java"),
        ("GEM_HOME", "specifications/evil.gemspec"), ("RUSTUP_HOME", "toolchains/stable/bin/cargo"),
        ("HOME", ".rustup/toolchains/stable/bin/cargo"), ("GOROOT", "pkg/tool/linux/vet"), ("CHROME_BIN", "../evil"),
    ],
)  # fmt: skip
def test_folders_to_which_variables_lead_are_looked_at(tmp_path: Path, variable: str, planted: str) -> None:
    place = tmp_path / "led" / "to"
    (place / planted).parent.mkdir(parents=True, exist_ok=True)
    environment = check_environment({"HOME": str(tmp_path / "home"), variable: str(place)})
    looker = Programs([], str(tmp_path / "home"), named_folders(environment))
    before = looker.look(is_thorough=True)
    (place / planted).write_text("")
    assert {os.path.normpath(name) for name in looker.look(is_thorough=True).keys() - before.keys()} == {
        os.path.normpath(place / planted)
    }


def test_settings_that_a_variable_moves_are_looked_for_in_both_places() -> None:
    moved = [(".config/ruff/ruff.toml", "XDG_CONFIG_HOME"), (".cargo/config.toml", "CARGO_HOME")]
    for name, variable in (*moved, (".gradle/init.d", "GRADLE_USER_HOME")):
        rest = name.split("/", 1)[1]
        assert list(places_of(name, {"HOME": "/h", variable: "/moved"})) == [f"/h/{name}", f"/moved/{rest}"]
