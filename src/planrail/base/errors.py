"""Every error that planrail raises, with the exit code and the remedy that belong to it.

    PlanrailError            1   refused or failed
    ├── UsageError           2   wrong call, wrong settings
    ├── UnreadablePlan       3   the input cannot be read as a plan
    ├── Held                10   another live run holds it
    ├── ToolFailed          11   git, the disk or an agent program failed
    └── NotOwner            12   it belongs to another owner
        └── Fenced          12   the run was taken over by another planrail

An expected outcome ("the claim is held") is a decision and becomes an exception only where a command ends with it.
"""


class PlanrailError(Exception):
    """Something planrail cannot or will not do. `remedy` is what the user can do about it."""

    exit_code = 1

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.is_told = False  # as JSON, to a program that asked for it


class UsageError(PlanrailError):
    """The call or the settings are wrong."""

    exit_code = 2


class UnreadablePlan(PlanrailError):
    """The input cannot be read as a plan: missing, a folder, binary, too large, too deep."""

    exit_code = 3


class ToolFailed(PlanrailError):
    """git, the disk or an agent program failed."""

    exit_code = 11


class refused_as:  # noqa: N801 - used as a function
    """What the disk or the machine refuses inside of this is a `ToolFailed`: a sentence, the reason, what follows."""

    def __init__(self, what: str, remedy: str, then: str = "") -> None:
        self._what, self._remedy, self._then = what, remedy, then

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, OSError):
            text = f"{self._what}: {error.strerror or error}{self._then}"
            raise ToolFailed(text, remedy=self._remedy) from error


class Held(PlanrailError):
    """Another live run holds the plan."""

    exit_code = 10


class NotOwner(PlanrailError):
    """What was to be given up belongs to another owner."""

    exit_code = 12


class Fenced(NotOwner):
    """Another planrail has taken the run over: what this one still wants to say about it is not heard any more."""
