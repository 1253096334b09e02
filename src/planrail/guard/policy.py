"""What a session that plans may write, where git may run, and which further tools its owner calls read-only."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.guard.places import RepositoryLook


class Policy:
    """`plan_files` are resolved absolute paths; in `allowed_tools` a trailing `*` makes a prefix."""

    # Not a @record: making one costs a fifth of a millisecond, and every tool call while planning pays for it.
    __slots__ = ("allowed_tools", "cwd", "home", "plan_files", "repositories")

    def __init__(
        self,
        plan_files: tuple[str, ...],
        cwd: str,
        home: str,
        repositories: "RepositoryLook",
        allowed_tools: tuple[str, ...] = (),
    ):
        self.plan_files = plan_files
        self.cwd = cwd
        self.home = home
        self.repositories = repositories
        self.allowed_tools = allowed_tools
