"""What the hook hands on to the full package: one request as JSON on standard input, one answer on standard output.

Never called by people. A request says what to `do`; everything else in it is data. The comparison of a tree has a
budget, in which a module that is not needed would be felt; all else is in `requests`.
"""

import gc
import posix
import sys

from planrail.base.decoding import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    Reply = dict[str, object]


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
        if request["do"] == "compare":
            from planrail.git.snapshots.told import compare_tree

            return dict(compare_tree(request))
        from planrail.cli.hook.requests import REQUESTS

        return REQUESTS[request["do"]](request)
    except Exception as error:  # the hook decides what a failure means; a traceback tells it nothing
        from planrail.base.errors import PlanrailError

        if not isinstance(error, PlanrailError):
            return {"error": f"{type(error).__name__}: {error}"}
        return {"error": f"{error.message}; {error.remedy}" if error.remedy else error.message}
