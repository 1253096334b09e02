"""The environment of a check: built up from an allow-list, so that it says nothing of planrail, its ledger or an agent.

What a toolchain needs to be found is let through; what can steer one (flags, options, module paths, credentials) is
not: the same command has to mean the same on the base, on the work and on what lands.
"""

import os
from collections.abc import Callable, Iterable, Mapping

from planrail.base.run_model import Finding
from planrail.runs.evidence.surroundings import BYTECODE_CHANGED

# A name that ends with * stands for all that begin so.
ALLOWED = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
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
# Never, not even where a project asks for them: git would be led elsewhere, an agent or a state would be named, or an
# interpreter, a shell or a test runner would run something else before it does what it is told.
_NEVER = (
    *("GIT_*", "PLANRAIL_*", "CLAUDE*", "ANTHROPIC_*", "CODEX_*", "OPENAI_*"),
    *("ENV", "BASH_ENV", "BASH_FUNC_*", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "ZDOTDIR", "IFS", "CDPATH"),
    *("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "GCONV_PATH", "GLIBC_TUNABLES"),
    *("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONPLATLIBDIR", "PYTHONBREAKPOINT"),
    *("PYTHONOPTIMIZE", "PYTHONPYCACHEPREFIX", "PYTHONINSPECT", "PYTHONWARNINGS", "PYTEST_*", "PY_COLORS", "TOX_*"),
    *("NOX_*", "COVERAGE_*", "PIP_CONFIG_FILE", "UV_CONFIG_FILE", "VIRTUALENV_*"),
    *(
        "NODE_OPTIONS",
        "NODE_PATH",
        "NODE_REPL_*",
        "npm_config_userconfig",
        "npm_config_globalconfig",
        "npm_config_prefix",
    ),
    *("npm_config_node_options", "npm_config_script_shell", "NPM_CONFIG_USERCONFIG", "NPM_CONFIG_PREFIX", "JEST_*"),
    *("VITEST_*", "MOCHA_*", "TS_NODE_*", "BUN_OPTIONS"),
    *("RUBYOPT", "RUBYLIB", "BUNDLE_GEMFILE", "RSPEC_*", "PERL5LIB", "PERL5OPT", "PERL5DB", "PERLLIB", "HARNESS_*"),
    *("RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS", "RUSTC", "CARGO_BUILD_*", "CARGO_TARGET_*", "GOFLAGS"),
    *("GOENV", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "MAVEN_OPTS", "MAVEN_ARGS", "GRADLE_OPTS"),
    *("PHPRC", "PHP_INI_SCAN_DIR", "MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "LUA_INIT*", "R_PROFILE*"),
)
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


def check_environment(given: Mapping[str, str], names: Iterable[str] = ()) -> dict[str, str]:
    """What a check may see of an environment; `names` are further variables that the project's settings let through."""
    allowed, never = _matcher((*ALLOWED, *names)), _matcher(_NEVER)
    kept = {name: value for name, value in given.items() if allowed(name) and not never(name)}
    paths = {name: _absolute(kept.pop(name).replace(";", os.pathsep)) for name in _LIBRARIES if name in kept}
    paths["PATH"] = _absolute(kept.get("PATH", "")) or os.defpath
    return kept | {name: value for name, value in paths.items() if value} | _SET


def without_bytecode(environment: Mapping[str, str], around: Iterable[Finding]) -> Mapping[str, str]:
    """The environment; where compiled modules were written that nobody vouches for, Python uses none."""
    is_new = any(finding.kind == BYTECODE_CHANGED for finding in around)
    return {**environment, **_NO_BYTECODE} if is_new else environment


def _matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    names, beginnings = set(patterns), tuple(pattern[:-1] for pattern in patterns if pattern.endswith("*"))
    return lambda name: name in names or name.startswith(beginnings)


def _absolute(path: str) -> str:
    """Without entries that depend on the folder: a repository is no place to take `git` or `pytest` from by chance."""
    return os.pathsep.join(part for part in path.split(os.pathsep) if os.path.isabs(part))
