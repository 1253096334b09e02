"""The environment of an agent program: built up from an allow-list, never passed through."""

import os
from collections.abc import Iterable, Mapping

COMMON = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
)
EVERYBODY = (
    *(*COMMON, "TERM", "COLORTERM", "NO_COLOR", "TMPDIR", "XDG_*", "PLANRAIL_STATE_DIR"),
    # What an ordinary git command needs, and nothing that could make it start a program.
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
)
# A session of its own must not take itself for a part of the one that planrail was started from.
_OF_A_SESSION = (
    *("CLAUDE_CODE_SESSION_*", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PID", "CLAUDE_PROJECT_DIR"),
    *("CLAUDE_PLUGIN_*", "CLAUDE_ENV_FILE", "CLAUDE_EFFORT", "CODEX_THREAD_ID", "CODEX_SANDBOX*", "CODEX_CI"),
)


def build_environment(given: Mapping[str, str], allowed: Iterable[str]) -> dict[str, str]:
    patterns = (*EVERYBODY, *allowed)
    return {
        name: value for name, value in given.items() if matches(name, patterns) and not matches(name, _OF_A_SESSION)
    }


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name is one of these; a pattern that ends with * stands for all names that begin so."""
    return any(name.startswith(one[:-1]) if one.endswith("*") else name == one for one in patterns if one)


def find_program(name: str, environment: Mapping[str, str]) -> str | None:
    """The program on the PATH, without the entries that depend on the folder one stands in: a repository is no place
    to take an agent from."""
    if os.path.isabs(name):
        return name if os.access(name, os.X_OK) else None
    for folder in environment.get("PATH", "").split(os.pathsep):
        candidate = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    return None
