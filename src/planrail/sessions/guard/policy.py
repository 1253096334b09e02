"""What a session that plans may write, and which further tools its owner calls read-only."""

from planrail.records import record


@record
class Policy:
    """`plan_files` are resolved absolute paths; in `allowed_tools` a trailing `*` makes a prefix."""

    plan_files: tuple[str, ...]
    cwd: str
    home: str
    allowed_tools: tuple[str, ...] = ()
