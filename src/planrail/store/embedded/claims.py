"""Claims on the disk: one small file for each, which appears whole or not at all, in the folder of the ledger.

Who changes one holds the lock of the folder for that moment, and nothing while it works. Whether an owner lives is
asked of the kernel each time, so that nothing has to be cleaned up after a crash.
"""

import contextlib
import json
import os
from collections.abc import Callable, Sequence

from planrail.base.crash_points import reach
from planrail.base.errors import ToolFailed
from planrail.store.claim_rules import Claim, Damaged, from_json, is_fenced_out, to_json
from planrail.store.claims import Claims, Found, Place, hash_name
from planrail.store.owners import is_alive
from planrail.store.places import ledger_folder, locked, make_private, replace_file, sync_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

FOLDER = "claims"
_LOCK, _FENCE, _SUFFIX = ".lock", "fence", ".json"


class FileClaims(Claims):
    """The claims that one machine has of a repository."""

    def lives(self, claim: Claim) -> bool:
        return is_alive(claim.owner)

    def renew(self, claim: Claim) -> bool:
        return not is_fenced_out(claim, self._look(claim.kind, claim.name).claim)

    hold_for_good = renew

    def list_leases(self, kind: str | None = None, name: str | None = None) -> list[tuple[Claim, bool]]:
        try:
            found = [claim for claim in _load_all(self._folder) if kind in (None, claim.kind)]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _failed(self._folder, error) from error
        claims = sorted((claim for claim in found if name in (None, claim.name)), key=lambda claim: claim.fence)
        return [(claim, is_alive(claim.owner)) for claim in claims]

    @property
    def _folder(self) -> str:
        return os.path.join(ledger_folder(self._root), FOLDER)

    def _look(self, kind: str, name: str) -> Found:
        return _Files(self._folder).read(kind, name)

    def _change(self, kind: str, names: Sequence[str], work: "Callable[[Place], T]", *, is_new: bool = False) -> "T":
        folder = self._folder
        if not is_new and not os.path.isdir(folder):
            return work(_Files(folder))  # there is nothing to change, and nothing is made for that
        try:
            make_private(folder)
            with locked(os.path.join(folder, _LOCK)):
                return work(_Files(folder, _last_fence(folder) + 1))
        except OSError as error:
            raise _failed(folder, error) from error


class _Files:
    """The files in the folder; who changes them holds its lock."""

    def __init__(self, folder: str, fence: int = 0) -> None:
        self._folder, self.fence = folder, fence

    def read(self, kind: str, name: str) -> Found:
        found = _load(self._path(kind, name))
        if isinstance(found, Claim) and (found.kind, found.name) != (kind, name):
            return Found(Damaged(f"it is that of {found.kind} {found.name}"))
        return Found(found, isinstance(found, Claim) and is_alive(found.owner))

    def reserve(self, fence: int) -> None:
        _replace(os.path.join(self._folder, _FENCE), str(max(fence, self.fence - 1)))
        reach("claim.fence_written")

    def write(self, claim: Claim) -> None:
        self.rewrite(claim)
        reach("claim.written")

    def rewrite(self, claim: Claim) -> None:
        _replace(self._path(claim.kind, claim.name), json.dumps(to_json(claim), indent=1, sort_keys=True))

    def remove(self, kind: str, name: str) -> None:
        path = self._path(kind, name)
        if os.path.isdir(path):
            os.rename(path, f"{path}.damaged.{os.getpid()}")
            return
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        sync_folder(self._folder)

    def _path(self, kind: str, name: str) -> str:
        return os.path.join(self._folder, hash_name(kind, name) + _SUFFIX)


def _last_fence(folder: str) -> int:
    """The greatest number that was ever given; where its file is damaged, the greatest that is in use."""
    try:
        with open(os.path.join(folder, _FENCE), encoding="ascii") as file:
            return int(file.read(64))
    except (OSError, ValueError):
        return max((claim.fence for claim in _load_all(folder)), default=0)


def _load_all(folder: str) -> list[Claim]:
    found = [_load(os.path.join(folder, name)) for name in os.listdir(folder) if name.endswith(_SUFFIX)]
    return [claim for claim in found if isinstance(claim, Claim)]


def _load(path: str) -> Claim | Damaged | None:
    try:
        with open(path, encoding="utf-8") as file:
            return from_json(json.loads(file.read()))
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        return Damaged("it is a folder")
    except (ValueError, RecursionError) as error:
        return Damaged(str(error))
    except OSError as error:
        raise _failed(path, error) from error


def _replace(path: str, text: str) -> None:
    if os.path.isdir(path):
        os.rename(path, f"{path}.damaged.{os.getpid()}")
    replace_file(path, text, "claim.temporary_written")


def _failed(path: str, error: OSError) -> ToolFailed:
    return ToolFailed(
        f"the claims in {path} cannot be read or written: {error.strerror or error}; nothing was claimed or released",
        remedy="make room on that disk or check the folder's permissions, then try again",
    )
