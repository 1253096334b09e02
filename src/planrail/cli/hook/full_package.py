"""What the hook hands on to the full package: one request as JSON on standard input, one answer on standard output.

Never called by people. A request says what to `do`; everything else in it is data. The comparison of a tree is here,
and all else in `heavy_requests`: it has a budget, in which a module that is not needed would be felt.
"""

import gc
import posix
import sys

from planrail.base.decoding import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    Request = dict[str, str]
    Reply = dict[str, object]

# Set by whoever starts an agent in a workspace that nobody else works in: its root.
PRIVATE_WORKSPACE = b"PLANRAIL_PRIVATE_WORKSPACE"


def main() -> None:
    """Answer the request on standard input, and leave without taking the interpreter apart."""
    gc.disable()  # it is gone before there is anything to collect
    sys.stdout.write(encode(_answer(sys.stdin.buffer.read())))
    sys.stdout.flush()
    posix._exit(0)


def _answer(data: bytes) -> "Reply":
    try:
        request = decode(data.decode())
        assert isinstance(request, dict)
        return compare_tree(request) if request["do"] == "compare" else _answer_other(request)
    except Exception as error:  # the hook decides what a failure means; a traceback tells it nothing
        return {"error": _describe(error)}


def _answer_other(request: "Request") -> "Reply":
    from planrail.cli.hook.requests import REQUESTS

    return REQUESTS[request["do"]](request)


def _describe(error: Exception) -> str:
    from planrail.base.errors import PlanrailError

    if not isinstance(error, PlanrailError):
        return f"{type(error).__name__}: {error}"
    return f"{error.message}; {error.remedy}" if error.remedy else error.message


def compare_tree(request: "Request") -> "Reply":
    """What changed since a snapshot; parked on a branch before it is reported, and undone in a private workspace.

    A first look most often says that nothing did, or nothing since it was last told; only else is more loaded.
    """
    from planrail.git.git_writing import encode_name
    from planrail.git.snapshots.look import GIT, load_record, says_nothing, take_look

    record = load_record(f"{request['folder']}/snapshots", request["snapshot"])
    look = take_look(record) if record.kind == GIT else None
    is_private = posix.environ.get(PRIVATE_WORKSPACE) == encode_name(record.root)
    finding, told = None, None
    if look and says_nothing(look, record, (request["plan"],)):
        told = None if request["is_leaving"] else {"mark": "", "report": ""}
    elif look and not is_private:
        from planrail.git.snapshots.told import Finding

        finding = Finding(record, look, request["plan"])
        told = finding.recall()
    if not told:
        from planrail.git.snapshots.effect_report import report_changes

        told = report_changes(request, look, finding, is_private=is_private)
    return {"mark": told["mark"], "report": told["report"]}
