"""A refusal for programs: who asked for JSON gets one document also where a command refuses."""

import contextlib
from collections.abc import Callable, Iterator, Mapping

from planrail.base.errors import PlanrailError
from planrail.cli.screen import print_json

REFUSED = "refused"


@contextlib.contextmanager
def refusal_as_json(
    document: Mapping[str, object] | Callable[[PlanrailError], Mapping[str, object]], *, as_json: bool
) -> Iterator[None]:
    """What is refused inside is told as JSON as well: `document`, with the error in it. It is raised all the same.

    A function says all of the document.
    """
    try:
        yield
    except PlanrailError as error:
        if as_json:
            tell_program(error, document)
        raise


def tell_program(
    error: PlanrailError, document: Mapping[str, object] | Callable[[PlanrailError], Mapping[str, object]]
) -> None:
    """The same where a refusal ends the command: as JSON, once."""
    if not error.is_told:
        error.is_told = True
        refused = {"status": REFUSED, "error": error.message, "next": error.remedy or None}
        print_json(document(error) if callable(document) else {**document, **refused})
