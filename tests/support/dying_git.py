"""A `git` that dies: at the n-th call of a subcommand, before it did anything, after it, or with its lock in place."""

import shutil
from pathlib import Path

MANNERS = ("before", "locked", "after")
_PROGRAM = """#!/bin/sh
skip=
place=.
for word; do
  if [ "$skip" = -C ]; then place=$word; fi
  if [ -n "$skip" ]; then skip=; continue; fi
  case $word in -C | -c) skip=$word ;; -*) ;; *) break ;; esac
done
if [ "$word" = "{subcommand}" ]; then
  echo >> "{count}"
  if [ "$(wc -l < "{count}")" -eq {number} ]; then
    case {manner} in
    after) "{git}" "$@" ;;
    locked) if [ "$word" = update-ref ]; then
        for word; do case $word in refs/*) ref=$word ;; esac; done
        mkdir -p "$place/.git/${{ref%/*}}"
        : > "$place/.git/$ref.lock"
      else : > "${{GIT_INDEX_FILE:-$place/.git/index}}.lock"; fi ;;
    esac
    kill -9 $$
  fi
fi
exec "{git}" "$@"
"""


def make_dying_git(folder: Path, subcommand: str, number: int, manner: str) -> Path:
    """Put it into a folder that is to come first on the PATH; the file that counts the calls, which lies beside it."""
    folder.mkdir(parents=True)
    count, program = (
        folder.parent / f"{folder.name}-count",
        folder / "git",
    )  # nothing in a folder of the PATH may change
    program.write_text(
        _PROGRAM.format(subcommand=subcommand, number=number, manner=manner, count=count, git=shutil.which("git"))
    )
    program.chmod(0o755)
    return count


def count_calls(count: Path) -> int:
    """How often the subcommand was called."""
    return len(count.read_bytes()) if count.exists() else 0
