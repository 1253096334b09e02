"""The options of git's reading sub-commands. Exact names only: git itself would accept any unique beginning.

Left out on purpose, wherever git has them: --output, --ext-diff, --textconv, --filters, --open-files-in-pager, and all
that writes or starts a program.
"""

from planrail.guard.programs.options import read_sections, read_table
from planrail.guard.shell.words import name_set

_SHORT = "puszRabwWM::B::C::D::U::S:G:l:"
_DIFF = """patch no-patch unified= raw patch-with-raw patch-with-stat stat? stat-width= stat-name-width= stat-count= \
    stat-graph-width= compact-summary numstat shortstat dirstat? cumulative summary name-only name-status submodule \
    submodule=log submodule=short color? no-color color-moved? no-color-moved color-moved-ws= no-color-moved-ws \
    word-diff? word-diff-regex= color-words? no-renames rename-empty no-rename-empty check full-index binary abbrev? \
    no-abbrev break-rewrites? find-renames? find-copies? find-copies-harder irreversible-delete diff-filter= \
    pickaxe-all pickaxe-regex find-object= skip-to= rotate-to= text ignore-cr-at-eol ignore-space-at-eol \
    ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= inter-hunk-context= \
    function-context exit-code quiet no-ext-diff no-textconv ignore-submodules? src-prefix= dst-prefix= no-prefix \
    default-prefix line-prefix= ita-invisible-in-index relative? no-relative minimal patience histogram \
    indent-heuristic no-indent-heuristic diff-algorithm= anchored= no-diff-merges combined-all-paths cc"""
_REVISIONS = """max-count= skip= since= after= until= before= since-as-filter= author= committer= grep= grep-reflog= \
    all-match invert-grep regexp-ignore-case basic-regexp extended-regexp fixed-strings perl-regexp remove-empty \
    merges no-merges min-parents= max-parents= no-min-parents no-max-parents first-parent exclude-first-parent-only \
    not all branches? tags? remotes? glob= exclude= exclude-hidden= reflog alternate-refs single-worktree \
    ignore-missing bisect stdin cherry-mark cherry-pick left-only right-only cherry walk-reflogs merge boundary \
    simplify-by-decoration show-pulls full-history dense sparse simplify-merges ancestry-path? date-order \
    author-date-order topo-order reverse no-walk? do-walk objects parents children left-right graph no-graph \
    show-linear-break? relative-date date= pretty? format= abbrev-commit no-abbrev-commit oneline encoding= \
    expand-tabs? no-expand-tabs notes? no-notes show-notes? standard-notes no-standard-notes no-show-signature"""
_LOG = f"""cmtgiEFPqn:L:{_SHORT}0 * {_DIFF} {_REVISIONS} follow decorate? no-decorate decorate-refs= \
    decorate-refs-exclude= clear-decorations source mailmap no-mailmap use-mailmap full-diff log-size root"""
_FILTERS = """contains? no-contains? merged? no-merged? points-at= sort= format= column? no-column color? no-color \
    ignore-case omit-empty"""

SUBCOMMANDS = read_table(f"""
log, show, whatchanged: {_LOG}
diff: {_SHORT}c0q1 * {_DIFF} cached staged merge-base no-index base ours theirs
diff-tree: rtmv0{_SHORT}c * {_DIFF} {_REVISIONS} root no-commit-id
diff-index: {_SHORT}m * {_DIFF} cached merge-base
diff-files: {_SHORT}q0 * {_DIFF} base ours theirs
range-diff: 0{_SHORT} * {_DIFF} creation-factor= no-dual-color left-only right-only
status: sbvzu:: * short branch show-stash porcelain? long verbose untracked-files? ignore-submodules? ignored? column? \
    no-column ahead-behind no-ahead-behind renames no-renames find-renames?
blame: bltSsfnpcwekM::C::L: * root show-stats incremental porcelain line-porcelain show-email show-name show-number \
    date= first-parent progress no-progress score-debug color-lines color-by-age minimal abbrev= ignore-rev= \
    ignore-revs-file= reverse since= encoding=
annotate: lwM::C::L: * date=
shortlog: nsecw:: * numbered summary email group= no-merges merges all since= until= after= before= author= \
    first-parent format= branches? tags? remotes? committer
rev-list: n:0 * {_REVISIONS} count objects-edge unpacked timestamp header disk-usage? no-object-names
ls-files: cdoimksuztvfx:X: * cached deleted others ignored modified killed stage directory no-empty-directory unmerged \
    resolve-undo exclude= exclude-from= exclude-per-directory= exclude-standard error-unmatch with-tree= full-name \
    recurse-submodules abbrev? eol deduplicate sparse format=
ls-tree: drtlz * long name-only name-status object-only abbrev? full-name full-tree format=
ls-remote: htq * heads tags branches refs quiet exit-code get-url sort= symref
grep: aIirwvhHnlLzocpWqEGPF0e:f:m:A:B:C: * cached untracked no-index no-exclude-standard exclude-standard \
    recurse-submodules text ignore-case max-depth= recursive no-recursive word-regexp invert-match full-name \
    extended-regexp basic-regexp perl-regexp fixed-strings line-number column files-with-matches name-only \
    files-without-match null only-matching count color? no-color break heading show-function context= after-context= \
    before-context= function-context threads= and or not all-match quiet max-count= no-textconv
cat-file: tespz * batch? batch-check? batch-command? batch-all-objects buffer unordered follow-symlinks \
    allow-unknown-type use-mailmap mailmap no-mailmap
describe: - * all tags contains abbrev? candidates= exact-match debug long match= exclude= always first-parent dirty? \
    broken?
rev-parse: q * verify quiet short? abbrev-ref? symbolic symbolic-full-name all branches? tags? remotes? git-dir \
    absolute-git-dir git-common-dir show-toplevel show-prefix show-cdup is-inside-work-tree is-inside-git-dir \
    is-bare-repository is-shallow-repository show-superproject-working-tree local-env-vars show-object-format? \
    path-format= git-path revs-only no-revs flags no-flags not default= since= until= sq disambiguate= show-ref-format
merge-base: a * all octopus is-ancestor independent fork-point
name-rev: - * tags refs= exclude= all name-only no-undefined always annotate-stdin stdin
for-each-ref: spt * count= sort= format= color? points-at= merged? no-merged? contains? no-contains? ignore-case \
    omit-empty exclude=
show-ref: hdsq * head heads tags branches dereference hash? abbrev? verify quiet exists
show-branch: arg * all remotes current topo-order sparse more= list independent merge-base topics
cherry: v 3 abbrev?
count-objects: vH 0 verbose human-readable
check-ignore: qvzn * quiet verbose stdin non-matching no-index
check-attr: az * all stdin cached source=
check-mailmap: - * stdin
check-ref-format: - 1 branch allow-onelevel normalize
hash-object: t: * stdin no-filters
version: - 0 build-options
symbolic-ref: q 1 short quiet
help: ag 0 all guides
var: l 1
fsck: v * full no-full strict unreachable dangling no-dangling connectivity-only progress no-progress verbose \
    name-objects root tags cache
patch-id: - 0 stable unstable verbatim
verify-pack: vs * verbose stat-only
""")
# These write, unless there is an option that makes git list or report.
LISTS = read_table(f"""
branch: arvqil * all remotes verbose list show-current abbrev= no-abbrev {_FILTERS}
tag: lin:: * list {_FILTERS}
apply: p:v * stat numstat summary check verbose
""")
_LISTING = name_set("list contains no-contains merged no-merged points-at")
LISTING = {"branch": _LISTING, "tag": _LISTING | {"l", "n"}, "apply": name_set("stat numstat summary check")}
# Sub-commands of sub-commands; a row without a name is for the bare form.
SECOND = read_sections(f"""
[remote]
: v 0 verbose
show: n *
get-url: - 1 push all
[stash]
list: {_LOG}
show: {_SHORT} * {_DIFF} include-untracked only-untracked
[reflog]
, show: {_LOG}
exists: - 1
list: - 0
[worktree]
list: vz 0 porcelain verbose
[submodule]
: - 0
status: - * cached recursive
summary: n: * cached files summary-limit=
[notes]
: - 0
list, show: - 1
[bisect]
log: - 0
[sparse-checkout]
list: - 0
[bundle]
verify: q 1 quiet
list-heads: - *
[commit-graph]
verify: - 0
""")

CONFIG = "lzf:"
CONFIG_LONG = """global local system worktree file= blob= list get get-all get-regexp get-urlmatch null name-only \
    show-origin show-scope type= bool int bool-or-int path includes no-includes default= all regexp value= fixed-value \
    show-names"""
CONFIG_READS = name_set("l list get get-all get-regexp get-urlmatch")

# Configuration given on the command line: only what changes the look.
HARMLESS_CONFIG = tuple(
    name_set(
        "color. core.quotepath= core.quotePath= log.date= log.decorate= log.abbrevCommit= core.abbrev= diff.renames="
        " diff.renameLimit= diff.noprefix= diff.algorithm= diff.mnemonicPrefix= column.ui= advice. grep.lineNumber="
        " status. i18n. blame."
    )
)
EXACT_CONFIG = name_set(
    "core.pager=cat core.pager= core.fsmonitor=false core.fsmonitor= gc.auto=0 pager.log=false pager.diff=false"
    " pager.show=false pager.branch=false pager.blame=false"
)
