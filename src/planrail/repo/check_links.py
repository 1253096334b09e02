"""The links of a snapshot that lead out of it."""

import os

from planrail.runs.outward_links import judge_link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from planrail.runs.model import Finding


def find_outward_links(folder: str, paths: "Iterable[str]") -> "list[Finding]":
    """What speaks against the links among these paths of a folder."""
    links = [path for path in paths if os.path.islink(os.path.join(folder, path))]
    judged = (judge_link(path, os.readlink(os.path.join(folder, path))) for path in links)
    return [finding for finding in judged if finding is not None]
