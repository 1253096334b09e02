"""The options of git's reading sub-commands. Exact names only: git itself would accept any unique beginning.

Left out on purpose, wherever git has them: --output, --ext-diff, --textconv, --filters, --open-files-in-pager, and all
that writes or starts a program.
"""

from planrail.guard.programs.options import NO_LIMIT

_DIFF_SHORT = "puszRabwWM::B::C::D::U::S:G:l:"
_DIFF = (
    " patch no-patch unified= raw patch-with-raw patch-with-stat stat? stat-width= stat-name-width= stat-count="
    " stat-graph-width= compact-summary numstat shortstat dirstat? cumulative summary name-only name-status"
    " submodule submodule=log submodule=short"
    " color? no-color color-moved? no-color-moved color-moved-ws= no-color-moved-ws word-diff? word-diff-regex="
    " color-words? no-renames rename-empty no-rename-empty check full-index binary abbrev? no-abbrev break-rewrites?"
    " find-renames? find-copies? find-copies-harder irreversible-delete diff-filter= pickaxe-all pickaxe-regex"
    " find-object= skip-to= rotate-to= text ignore-cr-at-eol ignore-space-at-eol ignore-space-change ignore-all-space"
    " ignore-blank-lines ignore-matching-lines= inter-hunk-context= function-context exit-code quiet no-ext-diff"
    " no-textconv ignore-submodules? src-prefix= dst-prefix= no-prefix default-prefix line-prefix="
    " ita-invisible-in-index"
    " relative? no-relative minimal patience histogram indent-heuristic no-indent-heuristic diff-algorithm= anchored="
    " no-diff-merges combined-all-paths cc"
)
_REVISIONS = (
    " max-count= skip= since= after= until= before= since-as-filter= author= committer= grep= grep-reflog= all-match"
    " invert-grep regexp-ignore-case basic-regexp extended-regexp fixed-strings perl-regexp remove-empty merges"
    " no-merges min-parents= max-parents= no-min-parents no-max-parents first-parent exclude-first-parent-only not all"
    " branches? tags? remotes? glob= exclude= exclude-hidden= reflog alternate-refs single-worktree"
    " ignore-missing bisect"
    " stdin cherry-mark cherry-pick left-only right-only cherry walk-reflogs merge boundary simplify-by-decoration"
    " show-pulls full-history dense sparse simplify-merges ancestry-path? date-order author-date-order topo-order"
    " reverse no-walk? do-walk objects parents children left-right graph no-graph show-linear-break? relative-date"
    " date= pretty? format= abbrev-commit no-abbrev-commit oneline encoding= expand-tabs? no-expand-tabs notes?"
    " no-notes"
    " show-notes? standard-notes no-standard-notes no-show-signature"
)
_LOG = (
    " follow decorate? no-decorate decorate-refs= decorate-refs-exclude= clear-decorations source mailmap no-mailmap"
    " use-mailmap full-diff log-size root"
)
_LOG_SHORT = "cmtgiEFPqn:L:" + _DIFF_SHORT
_FILTERS = (
    " contains? no-contains? merged? no-merged? points-at= sort= format= column? no-column color? no-color ignore-case"
    " omit-empty"
)

DIFF = (_DIFF_SHORT + "c0q1", _DIFF + " cached staged merge-base no-index base ours theirs", NO_LIMIT)
LOG = (_LOG_SHORT + "0", _DIFF + _REVISIONS + _LOG, NO_LIMIT)

SUBCOMMANDS: dict[str, tuple[str, str, int]] = {
    "log": LOG,
    "show": LOG,
    "whatchanged": LOG,
    "diff": DIFF,
    "diff-tree": ("rtmv0" + _DIFF_SHORT + "c", _DIFF + _REVISIONS + " root no-commit-id", NO_LIMIT),
    "diff-index": (_DIFF_SHORT + "m", _DIFF + " cached merge-base", NO_LIMIT),
    "diff-files": (_DIFF_SHORT + "q0", _DIFF + " base ours theirs", NO_LIMIT),
    "range-diff": ("0" + _DIFF_SHORT, _DIFF + " creation-factor= no-dual-color left-only right-only", NO_LIMIT),
    "status": (
        "sbvzu::",
        "short branch show-stash porcelain? long verbose untracked-files? ignore-submodules? ignored? column? no-column"
        " ahead-behind no-ahead-behind renames no-renames find-renames?",
        NO_LIMIT,
    ),
    "blame": (
        "bltSsfnpcwekM::C::L:",
        "root show-stats incremental porcelain line-porcelain show-email show-name show-number date= first-parent"
        " progress no-progress score-debug color-lines color-by-age minimal abbrev= ignore-rev="
        " ignore-revs-file= reverse"
        " since= encoding=",
        NO_LIMIT,
    ),
    "annotate": ("lwM::C::L:", "date=", NO_LIMIT),
    "shortlog": (
        "nsecw::",
        "numbered summary email group= no-merges merges all since= until= after= before= author= first-parent format="
        " branches? tags? remotes? committer",
        NO_LIMIT,
    ),
    "rev-list": (
        "n:0",
        _REVISIONS + " count objects-edge unpacked timestamp header disk-usage? no-object-names",
        NO_LIMIT,
    ),
    "ls-files": (
        "cdoimksuztvfx:X:",
        "cached deleted others ignored modified killed stage directory no-empty-directory unmerged resolve-undo"
        " exclude="
        " exclude-from= exclude-per-directory= exclude-standard error-unmatch with-tree= full-name recurse-submodules"
        " abbrev? eol deduplicate sparse format=",
        NO_LIMIT,
    ),
    "ls-tree": ("drtlz", "long name-only name-status object-only abbrev? full-name full-tree format=", NO_LIMIT),
    "ls-remote": ("htq", "heads tags branches refs quiet exit-code get-url sort= symref", NO_LIMIT),
    "grep": (
        "aIirwvhHnlLzocpWqEGPF0e:f:m:A:B:C:",
        "cached untracked no-index no-exclude-standard exclude-standard recurse-submodules text ignore-case"
        " max-depth= recursive no-recursive word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp"
        " fixed-strings line-number column files-with-matches name-only files-without-match null only-matching count"
        " color? no-color break heading show-function context= after-context= before-context= function-context threads="
        " and or not all-match quiet max-count= no-textconv",
        NO_LIMIT,
    ),
    "cat-file": (
        "tespz",
        "batch? batch-check? batch-command? batch-all-objects buffer unordered follow-symlinks allow-unknown-type"
        " use-mailmap mailmap no-mailmap",
        NO_LIMIT,
    ),
    "describe": (
        "",
        "all tags contains abbrev? candidates= exact-match debug long match= exclude= always first-parent dirty?"
        " broken?",
        NO_LIMIT,
    ),
    "rev-parse": (
        "q",
        "verify quiet short? abbrev-ref? symbolic symbolic-full-name all branches? tags? remotes? git-dir"
        " absolute-git-dir"
        " git-common-dir show-toplevel show-prefix show-cdup is-inside-work-tree is-inside-git-dir is-bare-repository"
        " is-shallow-repository show-superproject-working-tree local-env-vars show-object-format? path-format= git-path"
        " revs-only no-revs flags no-flags not default= since= until= sq disambiguate= show-ref-format",
        NO_LIMIT,
    ),
    "merge-base": ("a", "all octopus is-ancestor independent fork-point", NO_LIMIT),
    "name-rev": ("", "tags refs= exclude= all name-only no-undefined always annotate-stdin stdin", NO_LIMIT),
    "for-each-ref": (
        "spt",
        "count= sort= format= color? points-at= merged? no-merged? contains? no-contains? ignore-case omit-empty"
        " exclude=",
        NO_LIMIT,
    ),
    "show-ref": ("hdsq", "head heads tags branches dereference hash? abbrev? verify quiet exists", NO_LIMIT),
    "show-branch": ("arg", "all remotes current topo-order sparse more= list independent merge-base topics", NO_LIMIT),
    "cherry": ("v", "abbrev?", 3),
    "count-objects": ("vH", "verbose human-readable", 0),
    "check-ignore": ("qvzn", "quiet verbose stdin non-matching no-index", NO_LIMIT),
    "check-attr": ("az", "all stdin cached source=", NO_LIMIT),
    "check-mailmap": ("", "stdin", NO_LIMIT),
    "check-ref-format": ("", "branch allow-onelevel normalize", 1),
    "hash-object": ("t:", "stdin no-filters", NO_LIMIT),
    "version": ("", "build-options", 0),
    "symbolic-ref": ("q", "short quiet", 1),
    "help": ("ag", "all guides", 0),
    "var": ("l", "", 1),
    "fsck": (
        "v",
        "full no-full strict unreachable dangling no-dangling connectivity-only progress no-progress verbose"
        " name-objects root tags cache",
        NO_LIMIT,
    ),
    "patch-id": ("", "stable unstable verbatim", 0),
    "verify-pack": ("vs", "verbose stat-only", NO_LIMIT),
}

# Listing forms: names may be given only together with an option that makes git list.
LISTS: dict[str, tuple[str, str]] = {
    "branch": ("arvqil", "all remotes verbose list show-current abbrev= no-abbrev" + _FILTERS),
    "tag": ("lin::", "list" + _FILTERS),
}
LISTING_OPTIONS = frozenset(("list", "contains", "no-contains", "merged", "no-merged", "points-at"))

# Sub-commands of sub-commands. "" is the bare form.
SECOND: dict[str, dict[str, tuple[str, str, int]]] = {
    "remote": {"": ("v", "verbose", 0), "show": ("n", "", NO_LIMIT), "get-url": ("", "push all", 1)},
    "stash": {"list": LOG, "show": (_DIFF_SHORT, _DIFF + " include-untracked only-untracked", NO_LIMIT)},
    "reflog": {"": LOG, "show": LOG, "exists": ("", "", 1), "list": ("", "", 0)},
    "worktree": {"list": ("vz", "porcelain verbose", 0)},
    "submodule": {
        "": ("", "", 0),
        "status": ("", "cached recursive", NO_LIMIT),
        "summary": ("n:", "cached files summary-limit=", NO_LIMIT),
    },
    "notes": {"": ("", "", 0), "list": ("", "", 1), "show": ("", "", 1)},
    "bisect": {"log": ("", "", 0)},
    "sparse-checkout": {"list": ("", "", 0)},
    "bundle": {"verify": ("q", "quiet", 1), "list-heads": ("", "", NO_LIMIT)},
    "commit-graph": {"verify": ("", "", 0)},
}

CONFIG = (
    "lzf:",
    "global local system worktree file= blob= list get get-all get-regexp get-urlmatch null name-only show-origin"
    " show-scope type= bool int bool-or-int path includes no-includes default= all regexp value= fixed-value"
    " show-names",
)
CONFIG_READS = frozenset(("l", "list", "get", "get-all", "get-regexp", "get-urlmatch"))

# Configuration given on the command line: only what changes the look.
HARMLESS_CONFIG = (
    *(
        "color.",
        "core.quotepath=",
        "core.quotePath=",
        "log.date=",
        "log.decorate=",
        "log.abbrevCommit=",
        "core.abbrev=",
    ),
    *("diff.renames=", "diff.renameLimit=", "diff.noprefix=", "diff.algorithm=", "diff.mnemonicPrefix=", "column.ui="),
    *("advice.", "grep.lineNumber=", "status.", "i18n.", "blame."),
)
EXACT_CONFIG = (
    *("core.pager=cat", "core.pager=", "core.fsmonitor=false", "core.fsmonitor=", "gc.auto=0", "pager.log=false"),
    *("pager.diff=false", "pager.show=false", "pager.branch=false", "pager.blame=false"),
)
