"""sed scripts, awk programs and git's sub-commands: what is read, and what is refused."""

import pytest

from planrail.guard.programs.awk import judge_program
from planrail.guard.programs.commands import RULES
from planrail.guard.programs.git import LISTS, SECOND, SUBCOMMANDS
from planrail.guard.programs.options import read_table
from planrail.guard.programs.readers import FREE, SAME, TABLES
from planrail.guard.programs.sed import judge_script
from tests.guard.attacking import judge_quickly


@pytest.mark.parametrize(
    "script",
    [
        "1,10p",
        "$p",
        "/a/,/b/p",
        "/a/I,+3p",
        "0~3p",
        "2,4!d",
        "$!N;P;D",
        "s/a/b/",
        "s/a/b/gp",
        "s|a|b|2I",
        "s/[^/]*$//",
        "s/[[:space:]]*$//;s/^w//",
        "s,a\\,w x,b,",
        "\\,a,p",
        ":a;N;$!ba;s/\\n/ /g",
        "/x/{p;q}",
        "/x/{=;n;l 5\n}",
        "y/abc/xyz/",
        "# w P\np",
        "10q",
        "",
    ],
)
def test_a_sed_script_that_only_prints_is_allowed(script: str) -> None:
    assert judge_script(script) == ""


@pytest.mark.parametrize(
    "script",
    [
        "w P",
        "1w P",
        "W P",
        "/x/w P",
        "/x/,/y/ w P",
        "p;w P",
        "{w P\n}",
        "p\nw P",
        "#\nw P",
        "s/a/b/w P",
        "s/a/b/gw P",
        "s/a/b/e",
        "e touch P",
        "1e",
        "s/[/]/x/w P",
        "s\\a\\b\\w P",
        "y/a/b/;w P",
        "\\,a,w P",
        "$!w P",
        "s/a/b\\",
        "s/a",
        "a foo",
        "r x",
        "R x",
        "k",
    ],
)
def test_a_sed_script_that_writes_runs_or_is_not_understood_is_refused(script: str) -> None:
    assert judge_script(script) != ""


@pytest.mark.parametrize(
    "arguments",
    [
        "-i p f",
        "-ni p f",
        "-n -i.bak p f",
        "--in-place p f",
        "--in-pl p f",
        "-f s f",
        "-n $x f",
        "-n p $x",
        "'w x' -e p f",
    ],
)
def test_an_option_of_sed_that_edits_or_hides_a_script_is_refused(arguments: str) -> None:
    assert judge_quickly(f"sed {arguments}").decision == "deny"


@pytest.mark.parametrize(
    "program",
    [
        "{print $1}",
        "$3 > 100 {print $1, $2}",
        "{ if ($1 > max) max = $1 } END { print max }",
        "/a|b/ {print $2}",
        '{print ($1 > 2), "a | b > c"}',
        '/^[a-z|>]+$/ || $2 > 1 {print "->", $0}',
        "NR > 1 && /x|y/",
        "/^[[:space:]]*(a|b)/ {print $2}",
        "{count[$1]++} END {for (k in count) print count[k], k}",
        'BEGIN { while ((getline line < "f") > 0) n++; print n }',
    ],
)
def test_an_awk_program_that_computes_and_prints_is_allowed(program: str) -> None:
    assert judge_program(program) == ""


@pytest.mark.parametrize(
    "program",
    [
        'BEGIN { system("touch P") }',
        'BEGIN { system ( "touch P" ) }',
        '{print > "P"}',
        '{print $1 >> "P"}',
        '{printf("x") > "P"}',
        '{print $1, ($2 > 3) > "P"}',
        '{print | "sh"}',
        '{print |& "sh"}',
        'BEGIN { "touch P" | getline }',
        '@load "x"',
        'BEGIN { f = "system"; @f("touch P") }',
        'BEGIN { print length /"/; system("touch P"); "/ }',
        'x = a \\\n/ system("touch P") /1',
        'BEGIN { print 1 /"/ > "P" # "/\n}',
        '{ print 1. / 2 > "P"; x = 1 / 2 }',
        '{ print $/[(]/ > "P" }',
        '{ x = $/]/; print > "P" }',
        '/[[:alpha:]/]/ {print > "P"}',
        '{ print ) > "P" }',
    ],
)
def test_an_awk_program_that_writes_or_runs_is_refused(program: str) -> None:
    assert judge_program(program) != ""


@pytest.mark.parametrize(
    "arguments", ["-f p f", "-i inplace 1 f", "-o P 1 f", "-l x 1", '"$p" f', "1 -f evil", "-v $x 1 f", "--source=1 f"]
)
def test_an_option_of_awk_that_loads_or_writes_is_refused(arguments: str) -> None:
    assert judge_quickly(f"awk {arguments}").decision == "deny"


@pytest.mark.parametrize(
    "arguments",
    [
        "log --graph --oneline --all -20",
        "log -p -S'x' -- src",
        "log --pretty=format:'%h %s' --since='2 weeks ago'",
        "log -L 10,20:f",
        "--no-pager diff main...HEAD --name-only",
        "-c color.ui=false log -3",
        "-c core.pager=cat log",
        "log --grep=signature --format='%h %s'",
        "for-each-ref --sort=-committerdate --format='%(refname) %(subject)'",
        "branch -a",
        "branch -vv",
        "branch --contains abc",
        "branch --list 'x*'",
        "tag -l 'v1.*' --sort=-v:refname",
        "tag -n3",
        "remote -v",
        "remote get-url origin",
        "stash list",
        "reflog -5",
        "config --get user.name",
        "config user.name",
        "config --list",
        "config get user.name",
        "grep -n foo -- '*.py'",
        "log -- $X",
        "apply --stat x.patch",
        "ls-remote --heads origin",
        "diff @{u} HEAD@{1}",
        "--version",
    ],
)
def test_a_reading_form_of_git_is_allowed(arguments: str) -> None:
    assert judge_quickly(f"git {arguments}").decision == "allow"


@pytest.mark.parametrize(
    "arguments",
    [
        *(f"{name} --output=P" for name in [*SUBCOMMANDS, *LISTS, "stash list", "stash show", "reflog", "notes show"]),
        *(f"{name} --outp=P" for name in SUBCOMMANDS),
        *(f"{name} $X" for name in SUBCOMMANDS),
        "",
        "push",
        "x",
        "diff --ext-diff",
        "show --textconv",
        "cat-file --filters HEAD:x",
        "grep -O./evil x",
        "grep -nO x",
        "grep --open x",
        "branch x",
        "branch -v x",
        "branch -l x",
        "branch -D x",
        "tag x",
        "tag --sort=x x",
        "remote add x y",
        "remote -v update",
        "stash",
        "stash -p",
        "stash pop",
        "reflog expire --all",
        "config user.name x",
        "config --unset a.b",
        "config edit",
        "config --edit",
        "apply x.patch",
        "apply -- --stat",
        "hash-object -w f",
        "fsck --lost-found",
        "worktree add x",
        "submodule foreach ls",
        "ls-remote 'ext::sh -c x'",
        "ls-remote --upload-pack=./evil .",
        "-p log",
        "--git-dir=x log",
        "--exec-path=. log",
        "-c core.pager=./evil log",
        "-c 'core.pager=cat;x=cat' log",
        "-c alias.x=!ls x",
        "-c core.fsmonitor=./evil status",
        "$X log",
        'log "$X"',
        "log *",
        "log --format=%G?",
        "log --format=\"$(printf '%%G?')\"",
        'log --format="$f"',
        'log --pretty="$f"',
        'log --format="%h $f"',
        "for-each-ref --format='%(*signature)'",
        "for-each-ref --format='%(signature:grade)'",
        "for-each-ref --format '%(if)%(*signature)%(then)x%(end)'",
        'for-each-ref --format "$f"',
        "for-each-ref --sort=signature",
        "for-each-ref --sort=-*signature:key",
        "for-each-ref --sort -signature",
        "branch --sort=signature",
        'tag --sort="$f"',
        "symbolic-ref HEAD refs/heads/x",
        "symbolic-ref -d HEAD",
    ],
)
def test_a_form_of_git_that_writes_or_runs_is_refused(arguments: str) -> None:
    assert judge_quickly(f"git {arguments}").decision == "deny"


def _tables() -> dict[str, tuple[str, str]]:
    tables = {name: entry[:2] for name, entry in TABLES.items()}
    tables |= {f"git {name}": entry[:2] for name, entry in (SUBCOMMANDS | LISTS).items()}
    seconds = {name: read_table(rows) for name, rows in SECOND.items()}
    return tables | {f"git {a} {b}": entry[:2] for a, forms in seconds.items() for b, entry in forms.items()}


@pytest.mark.parametrize(("name", "entry"), _tables().items())
def test_a_table_gives_each_option_one_meaning(name: str, entry: tuple[str, str]) -> None:
    letters = entry[0].replace(":", "").replace("=", "")
    names = [option.rstrip("=?") for option in entry[1].split()]
    assert sorted(set(letters)) == sorted(letters)
    assert sorted(set(names)) == sorted(names)


def test_a_command_has_one_rule() -> None:
    assert not FREE & set(TABLES)
    assert not set(SAME) & (FREE | set(TABLES))
    assert set(SAME.values()) <= set(TABLES)
    ruled = [name for line in RULES.strip().split("\n") for name in line.split()[1:]]
    assert len(ruled) == len(set(ruled))
    assert not set(ruled) & (FREE | set(TABLES) | set(SAME))
