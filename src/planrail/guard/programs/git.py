"""git: sub-commands that read, with the options that keep them reading.

Exact names only: git itself would accept any unique beginning. Left out on purpose, wherever git has them: --output,
--ext-diff, --textconv, --filters, --open-files-in-pager, and all that writes or starts a program.
"""

from planrail.guard.places import Line
from planrail.guard.programs.options import INSTEAD, check_options, check_table, read_sections, read_table
from planrail.guard.shell.words import Word, may_be_option, name_set, shown

_GLOBAL_FLAGS = name_set(
    "--no-pager -P --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks"
    " --no-replace-objects --no-lazy-fetch"
)
_ANSWERS = ("--version", "-v", "--exec-path", "--html-path", "--man-path", "--info-path")
_FORMATS = ("--format", "--pretty", "--sort")

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
_OF_NAMES = name_set("list contains no-contains merged no-merged points-at")
_LISTING = {"branch": _OF_NAMES, "tag": _OF_NAMES | {"l", "n"}, "apply": name_set("stat numstat summary check")}
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

_CONFIG = "lzf:"
_CONFIG_LONG = """global local system worktree file= blob= list get get-all get-regexp get-urlmatch null name-only \
    show-origin show-scope type= bool int bool-or-int path includes no-includes default= all regexp value= fixed-value \
    show-names"""
_CONFIG_READS = name_set("l list get get-all get-regexp get-urlmatch")

# Configuration given on the command line: only what changes the look.
_HARMLESS_CONFIG = tuple(
    name_set(
        "color. core.quotepath= core.quotePath= log.date= log.decorate= log.abbrevCommit= core.abbrev= diff.renames="
        " diff.renameLimit= diff.noprefix= diff.algorithm= diff.mnemonicPrefix= column.ui= advice. grep.lineNumber="
        " status. i18n. blame."
    )
)
_EXACT_CONFIG = name_set(
    "core.pager=cat core.pager= core.fsmonitor=false core.fsmonitor= gc.auto=0 pager.log=false pager.diff=false"
    " pager.show=false pager.branch=false pager.blame=false"
)


def judge(_name: str, words: list[Word], line: Line) -> str:
    """Judge the options before the sub-command, then the sub-command, then what git would find where it runs."""
    at, folders = 0, []
    while at < len(words) and words[at].text.startswith("-"):
        word = words[at]
        if not word.exact:
            return f"git {shown(word)} is not literal; write it out"
        if word.text in _ANSWERS:
            return "" if len(words) == 1 else f"git {word.text} with more words; ask for it alone"
        if word.text in ("-C", "-c"):
            reason = _global_value(word.text, words[at + 1] if at + 1 < len(words) else None)
            if reason:
                return reason
            at += 1
            folders += [words[at]] if word.text == "-C" else []
        elif word.text not in _GLOBAL_FLAGS:
            return (
                f"git {word.text} before the sub-command is not known to be read-only; use git -C DIR, or leave it out"
            )
        at += 1
    if at >= len(words):
        return "git without a sub-command; use git status"
    if any(map(_may_verify, words, [Word(""), *words])):
        return "git formats with a signature run gpg, and one that is not literal may have it; write another one out"
    if not words[at].exact:
        return "the sub-command of git is not literal; write it out"
    return _subcommand(words[at].text, words[at + 1 :]) or _find(words[at].text, words[at + 1 :], folders, line)


def _may_verify(word: Word, before: Word) -> bool:
    """Whether the word is a format, or a key to sort by, that may ask for signatures; `before` stands before it."""
    if any(sign in word.text for sign in ("%G", "%+G", "%-G", "% G")):
        return True
    option = before.text if before.text in _FORMATS else word.text.partition("=")[0]
    return option in _FORMATS and (not word.exact or "signature" in word.text)


def _find(name: str, words: list[Word], folders: list[Word], line: Line) -> str:
    """Judge the repositories that git would use. One that connects to another may do so by what its settings say."""
    if name != "ls-remote" and not (name == "remote" and words and words[0].text == "show"):
        return line.run_git(folders)
    remotes = [word for word in words if not may_be_option(word)] if name == "ls-remote" else []
    path = remotes[0].text.removeprefix("file://") if remotes and "://" not in remotes[0].text[5:] else ""
    others = [Word(path), Word(f"{path}.git")] if path else []
    reasons = (line.run_git([*folders, other]) for other in others)
    return line.run_git(folders, connects=True) or next(filter(None, reasons), "")


def _global_value(option: str, value: Word | None) -> str:
    if value is None or not value.single:
        return f"git {option} needs one quoted value"
    is_plain = value.text.startswith(_HARMLESS_CONFIG) or (value.exact and value.text in _EXACT_CONFIG)
    return "" if option == "-C" or is_plain else f"git -c {shown(value)} may run a program; leave it out"


def _subcommand(name: str, words: list[Word]) -> str:
    if name in SUBCOMMANDS:
        return (_ls_remote if name == "ls-remote" else check_table)(f"git {name}", words, SUBCOMMANDS[name])
    if name == "config":
        return _config(words)
    if name in SECOND:
        return _second(name, words, read_table(SECOND[name]))
    if name not in LISTS:
        what = f"`git {shown(Word(name))}` is not known to be read-only"
        return f"{what}; use git log, diff, show or status, or {INSTEAD}"
    shorts, longs, _ = LISTS[name]
    found = check_options(f"git {name}", words, shorts, longs)
    if found.reason or not _LISTING[name].isdisjoint(found.options):
        return found.reason
    if name == "apply":
        return f"git apply changes files; use git apply --stat or --check, or {INSTEAD}"
    return f"git {name} with a name creates it; use git {name} --list PATTERN" if found.operands else ""


def _config(words: list[Word]) -> str:
    if words and words[0].exact and words[0].text in ("get", "list"):
        return check_options("git config", words[1:], _CONFIG, _CONFIG_LONG).reason
    found = check_options("git config", words, _CONFIG, _CONFIG_LONG, stops=True)
    if found.reason or not _CONFIG_READS.isdisjoint(found.options):
        return found.reason
    # A key has a section; without one it is a sub-command of newer versions (`git config edit`).
    if len(found.operands) == 1 and found.operands[0].exact and "." in found.operands[0].text:
        return ""
    return "git config with a value writes it; use git config --get NAME"


def _second(name: str, words: list[Word], forms: dict[str, tuple[str, str, int]]) -> str:
    """`git stash list`, `git remote -v`: the word after the sub-command decides."""
    if words and not words[0].exact:
        return f"the word after git {name} is not literal; write it out"
    sub = words[0].text if words and not may_be_option(words[0]) else ""
    if sub in forms:
        return check_table(f"git {name} {sub}".rstrip(), words[1:] if sub else words, forms[sub])
    if name == "reflog" and (sub == "HEAD" or "/" in sub or "@" in sub):  # a revision
        return check_table("git reflog", words, forms[""])
    known = ", ".join(f"git {name} {form}".rstrip() for form in forms)
    return f"`git {name} {shown(Word(sub))}`".replace(" `", "`") + f" is not known to be read-only; use {known}"


def _ls_remote(name: str, words: list[Word], entry: tuple[str, str, int]) -> str:
    found = check_options(name, words, entry[0], entry[1])
    remote = found.operands[0] if found.operands else Word("")
    if not found.reason and (not remote.exact or "::" in remote.text or may_be_option(remote)):
        return "git ls-remote of something that is no plain remote may run a program; name the remote"
    return found.reason
