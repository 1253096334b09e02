"""The environment of a check: built up from an allow-list, so that it says nothing of planrail, its ledger or an agent.

What a toolchain needs to be found is let through; what can steer one (flags, options, module paths, credentials) is
not: the same command has to mean the same on the base, on the work and on what lands.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
# Never, not even where a project asks for them: git would be led elsewhere, an agent or a state would be named.
_NEVER = ("GIT_*", "PLANRAIL_*", "CLAUDE*", "ANTHROPIC_*", "CODEX_*", "OPENAI_*", "ENV", "BASH_ENV", "LD_PRELOAD")
_SET = {
    "CI": "1",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    # A compiled module is known by second and size alone: one of the base would be taken for one of the work.
    "PYTHONDONTWRITEBYTECODE": "1",
}


def check_environment(given: "Mapping[str, str]", names: "Iterable[str]" = ()) -> "dict[str, str]":
    """What a check may see of an environment; `names` are further variables that the project's settings let through."""
    patterns = (*ALLOWED, *names)
    kept = {name: value for name, value in given.items() if _matches(name, patterns) and not _matches(name, _NEVER)}
    return kept | {"PATH": _absolute(kept.get("PATH", os.defpath))} | _SET


def _matches(name: str, patterns: "Iterable[str]") -> bool:
    return any(name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern for pattern in patterns)


def _absolute(path: str) -> str:
    """Without entries that depend on the folder: a repository is no place to take `git` or `pytest` from by chance."""
    return os.pathsep.join(part for part in path.split(os.pathsep) if os.path.isabs(part)) or os.defpath
