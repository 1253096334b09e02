"""The environment of a check: built up from an allow-list, so that it says nothing of planrail, its ledger or an agent.

What a toolchain needs to be found is let through; what can steer one (flags, options, module paths, credentials) is
not: the same command has to mean the same on the base, on the work and on what lands.
"""

import os
from collections.abc import Iterable, Iterator, Mapping

from planrail.agents.environment import COMMON, matches
from planrail.base.run_model import Finding
from planrail.base.wording import name_some
from planrail.git.outside_names import become

BYTECODE = "bytecode"  # of the packages that are looked at: Python writes it whenever it likes, so checks do not use it
BYTECODE_CHANGED = "bytecode_changed"
# Programs that replace themselves with newer ones; no check runs them.
_AGENTS = (
    *("claude", "codex", "gemini", "opencode", "cursor-agent", "@anthropic-ai", "@openai", "@google", "opencode-ai"),
)
_ABOUT_FILES = (
    *("core.attributesfile", "core.excludesfile", "core.autocrlf", "core.eol", "core.symlinks", "core.worktree"),
)

# A name that ends with * stands for all that begin so.
ALLOWED = (
    *COMMON,
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY"),
    # Where toolchains and their caches are.
    *("CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE", "GOPROXY"),
    *("GOTOOLCHAIN", "JAVA_HOME", "GRADLE_USER_HOME", "MAVEN_HOME", "M2_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT"),
    *("DOTNET_ROOT", "NVM_DIR", "VOLTA_HOME", "FNM_DIR", "PNPM_HOME", "COREPACK_HOME", "BUN_INSTALL", "DENO_DIR"),
    *("PYENV_ROOT", "PYENV_VERSION", "RBENV_ROOT", "GEM_HOME", "GEM_PATH", "BUNDLE_PATH", "ASDF_DIR", "ASDF_DATA_DIR"),
    *("MISE_DATA_DIR", "SDKMAN_DIR", "UV_CACHE_DIR", "UV_PYTHON_INSTALL_DIR", "UV_DEFAULT_INDEX", "UV_INDEX_URL"),
    *("PIP_CACHE_DIR", "PIP_INDEX_URL", "PIP_CERT", "npm_config_registry", "npm_config_cache", "NPM_CONFIG_REGISTRY"),
    *("DOCKER_HOST", "DOCKER_CONTEXT", "PLAYWRIGHT_BROWSERS_PATH", "PUPPETEER_EXECUTABLE_PATH", "CHROME_BIN"),
    *("NIX_PATH", "NIX_PROFILES", "NIX_SSL_CERT_FILE", "LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
)
# Folders of libraries, one after the other; a semicolon separates them as well.
_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH")
_SET = {
    "CI": "1",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    # A compiled module is known by second and size alone: one of the base would be taken for one of the work.
    "PYTHONDONTWRITEBYTECODE": "1",
    # What a person has installed for all their projects is no part of this one, and any program of theirs can write it.
    "PYTHONNOUSERSITE": "1",
}
_NO_BYTECODE = {"PYTHONPYCACHEPREFIX": os.devnull}  # no folder: nothing compiled is found there, and nothing written

INTERPRETERS = ("python", "python3", "node", "ruby")
# Below the folder that holds a folder of programs: packages, and settings that a program finds by where it stands.
PACKAGES = (
    *("lib/python3*", "lib/python3*/site-packages", "lib/python3*/dist-packages", "lib64/python3*/site-packages"),
    *("lib/node_modules", "lib/ruby/gems/*/specifications", "lib/ruby/gems/*/plugins"),
)
SETTINGS = ("pyvenv.cfg", "pip.conf", "etc/npmrc", "etc/gemrc", "lib/node_modules/npm/npmrc")
# Beside a folder of stand-ins (pyenv, rbenv, asdf, mise): the versions, the programs that choose one and what these
# load; then what they obey and run.
SHIMMED = ("versions/*", "installs/*/*")
_CHOOSER = ("bin", "lib", "libexec", "shims")
CHOOSERS = (*(f"{place}/bin" for place in SHIMMED), *_CHOOSER[:-1], *(f"plugins/*/{part}" for part in _CHOOSER))
CHOOSING = ("*.d", "plugins/*/etc")  # not the rest of a plugin: that of pyenv has two thousand recipes
CHOICE = "version"
OWN = ".local"
GEMS = tuple(f"{gems}/ruby/*/{part}" for gems in (".gem", ".local/share/gem") for part in ("specifications", "plugins"))
# Below what a variable names that checks see, or else the home folder: programs and libraries that are run or loaded
# without the PATH.
_NAMED = {
    **dict.fromkeys(("LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"), ("", ("", "glibc-hwcaps/*"))),
    **dict.fromkeys(("MAVEN_HOME", "M2_HOME"), ("", ("bin", "boot", "conf", "lib", "lib/ext"))),
    **dict.fromkeys(("GEM_HOME", "GEM_PATH", "BUNDLE_PATH"), ("", ("bin", "specifications", "plugins"))),
    "JAVA_HOME": ("", ("bin", "conf", "lib", "lib/server")),
    "GOROOT": ("", ("bin", "pkg/tool/*")),
    "DOTNET_ROOT": ("", ("", "sdk", "host/fxr/*")),
    "ASDF_DIR": ("", ("bin", "lib", "libexec")),
    "RUSTUP_HOME": (".rustup", ("toolchains/*/bin", "toolchains/*/lib")),
    "VOLTA_HOME": (".volta", ("bin", "tools/image/*/*/bin")),
}
_PROGRAMS = ("CHROME_BIN", "PUPPETEER_EXECUTABLE_PATH")
# By which variable a tool's folder of the home folder is moved.
_MOVED = {
    ".config/": "XDG_CONFIG_HOME",
    ".cargo/": "CARGO_HOME",
    ".rustup/": "RUSTUP_HOME",
    ".gradle/": "GRADLE_USER_HOME",
}


def is_about_files(setting: str) -> bool:
    """Whether a setting of git says what a file's content is."""
    return setting in _ABOUT_FILES or setting.startswith(("filter.", "extensions."))


def judge_surroundings(before: Mapping[str, str], after: Mapping[str, str]) -> list[Finding]:
    if before == after:
        return []
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name, "") != after.get(name, ""))
    changed = [name for name in changed if name != BYTECODE]
    agents = [name for name in changed if name.rpartition("/")[2] in _AGENTS]
    told = {name: f"{name} ({become(before.get(name), after.get(name))})" for name in changed}
    found = []
    if failing := [text for name, text in told.items() if name not in agents]:
        text = f"what checks depend on was changed outside of the work, since the run began: {name_some(failing)}"
        text += "; so they prove nothing (nothing was undone: put it back, then run the phase again"
        found.append(Finding("surroundings_changed", f"{text}; a new run takes what it finds for granted)"))
    if agents:
        text = f"programs of agents were replaced since the run began: {name_some(told[name] for name in agents)}"
        found.append(Finding("agent_replaced", text, is_failure=False))
    if before.get(BYTECODE, "") != after.get(BYTECODE, ""):
        text = "compiled modules of packages were written since the run began: checks did not use any"
        found.append(Finding(BYTECODE_CHANGED, text, is_failure=False))
    return found


def check_environment(given: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in given.items() if matches(name, ALLOWED)}
    paths = {name: _absolute(kept.pop(name).replace(";", os.pathsep)) for name in _LIBRARIES if name in kept}
    paths["PATH"] = _absolute(kept.get("PATH", "")) or os.defpath
    return kept | {name: value for name, value in paths.items() if value} | _SET


def without_bytecode(environment: Mapping[str, str], around: Iterable[Finding]) -> Mapping[str, str]:
    """The environment; where compiled modules were written that nobody vouches for, Python uses none."""
    is_new = any(finding.kind == BYTECODE_CHANGED for finding in around)
    return {**environment, **_NO_BYTECODE} if is_new else environment


def _absolute(path: str) -> str:
    """Without entries that depend on the folder: a repository is no place to take `git` or `pytest` from by chance."""
    return os.pathsep.join(part for part in path.split(os.pathsep) if os.path.isabs(part))


def named_folders(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The folders of programs and libraries to which variables lead, each as a folder and a pattern below it."""
    home = environment.get("HOME", "")
    for name, (usual, patterns) in _NAMED.items():
        given = environment.get(name) or (os.path.join(home, usual) if home and usual else "")
        for folder in filter(os.path.isabs, given.split(os.pathsep)):
            yield from ((folder, pattern) for pattern in patterns)
    for name in _PROGRAMS:
        if os.path.isabs(program := environment.get(name, "")):
            yield os.path.dirname(program), ""


def places_of(name: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Where a file of the home folder is looked for: there, and where a variable moves it to."""
    if home := environment.get("HOME", ""):
        yield os.path.join(home, name)
    for folder, variable in _MOVED.items():
        if name.startswith(folder) and os.path.isabs(moved := environment.get(variable, "")):
            yield os.path.join(moved, name.removeprefix(folder))
