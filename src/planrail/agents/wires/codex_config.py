"""What Codex's own settings say about its login: the variables that hold keys."""

import os
import tomllib
from collections.abc import Mapping


def codex_home(environment: Mapping[str, str]) -> str:
    """The folder that Codex keeps its settings and conversations in."""
    return environment.get("CODEX_HOME") or os.path.join(environment.get("HOME", ""), ".codex")


def variable_names(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The variables that Codex's providers take their keys from. Settings that cannot be read name none."""
    try:
        with open(os.path.join(codex_home(environment), "config.toml"), "rb") as file:
            config = tomllib.load(file)
    except (OSError, ValueError):
        return ()
    providers = config.get("model_providers")
    each = [found for found in providers.values() if isinstance(found, dict)] if isinstance(providers, dict) else []
    headers = [found.get("env_http_headers") for found in each]
    named = [found.get("env_key") for found in each]
    named += [name for header in headers if isinstance(header, dict) for name in header.values()]
    return tuple(name for name in named if isinstance(name, str) and name.isidentifier())
