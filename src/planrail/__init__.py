"""planrail makes coding agents plan before they act, and holds them to the plan.

As a library it offers what `planrail.api` says: `planrail.read_plan("PLAN.md")`, and so on.
"""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """What the library offers, loaded when it is asked for: the hook and the commands pay nothing for it."""
    from importlib import import_module

    if name.startswith("_") or name not in import_module("planrail.api").__all__:
        raise AttributeError(f"planrail has no {name}; see planrail.api")
    return getattr(import_module("planrail.api"), name)
