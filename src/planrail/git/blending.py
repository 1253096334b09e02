"""Contents that both sides changed, merged by git's own three-way merge of files; never in favour of one side."""

import os
import tempfile

from planrail.git.git_writing import encode_name, join_paths, run_git
from planrail.git.object_store import NewObjects, object_id, read_objects, require
from planrail.git.tree_merging import Merging

_BINARY_LOOK = 8000  # bytes, as in git
_MOST_CONFLICTS = 127  # git's exit status is the number of conflicts, up to this
_MERGE = ("-c", "merge.conflictStyle=merge", "merge-file", "-p", "-q")  # the style decides what is a conflict
_SHA256 = "0" * 64
_PLAIN = ("unspecified", "set", "text", "union")  # a union would keep both in any order: here it is a conflict


def blend_all(root: str, merging: Merging, new: NewObjects) -> dict[str, str]:
    """Merge the contents that are to be merged, and add the entries. Returns the conflicts: path and reason."""
    if not merging.blends:
        return {}
    conflicts = _not_to_be_merged(root, [blend.path for blend in merging.blends])
    names = [oid for blend in merging.blends for oid in (blend.ours, blend.base, blend.theirs)]
    contents = [require(stored, "a file").content for stored in read_objects(root, names)]
    with tempfile.TemporaryDirectory(prefix="planrail-") as folder:
        for number, blend in enumerate(merging.blends):
            if blend.path in conflicts:
                continue
            merged = _blend(root, folder, contents[number * 3 : number * 3 + 3])
            if isinstance(merged, str):
                conflicts[blend.path] = merged
            else:
                merging.entries[blend.path] = (blend.mode, new.add("blob", merged))
    return conflicts


def _not_to_be_merged(root: str, paths: list[str]) -> dict[str, str]:
    """What the project says must not be merged by lines: files with `-merge`, or with a driver of their own."""
    answer = run_git(root, "check-attr", "-z", "--stdin", "merge", data=join_paths(paths)).split("\0")
    rules = dict(zip(answer[0::3], answer[2::3], strict=False))
    return {
        path: "changed on both sides, and .gitattributes says not to merge it by lines"
        for path in paths
        if rules.get(path, "unspecified") not in _PLAIN
    }


def _blend(root: str, folder: str, contents: list[bytes]) -> bytes | str:
    """Ours, base and theirs as one; or why that cannot be."""
    if any(b"\0" in content[:_BINARY_LOOK] for content in contents):
        return "a binary file that both sides changed"
    names = [os.path.join(folder, name) for name in ("target", "base", "phase")]
    for name, content in zip(names, contents, strict=True):
        with open(name, "wb") as file:
            file.write(content)
    label = f"planrail-{object_id('blob', bytes(1).join(contents), like=_SHA256)}"  # nobody has that in a file
    accepted = tuple(range(_MOST_CONFLICTS + 1))
    answer = run_git(root, *_MERGE, "-L", label, *names, accepted=accepted)
    return "both sides changed the same lines" if label in answer else encode_name(answer)
