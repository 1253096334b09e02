"""What the guard says about whole command lines, rule by rule. The second opinion is asked where the first is unsure."""

import json
from pathlib import Path

import pytest

from planrail.guard.judging import GuardPolicy
from planrail.guard.repositories import Repositories
from planrail.guard.second_opinion import decide
from tests.guard.attacking import judge_quickly

_CASES = Path(__file__).parents[3] / "shared" / "cases" / "in-session.jsonl"
_POLICY = GuardPolicy(("/repo/plan.md",), "/repo", "/home/me", Repositories("/repo", str))


def _decide(command: str) -> str:
    return decide("Bash", {"command": command}, _POLICY).decision


_EVERYDAY = r"""
git reflog main@{1}
git reflog HEAD -5
tar tf a.tar
tar -tv -f a.tar src
unzip -l a.zip src
less README.md
more README.md
xxd README.md
xxd -l 64 a.bin
gzip -dc a.gz
ls | head
git blame f
sed -n 1,10p f
cat x 2>/dev/null
git -C x log
find . -name x | xargs grep y
awk '{print $1}' f
LC_ALL=C sort f
test -f x && echo y
wc -l $(git ls-files '*.py')
git log --oneline -20 -- src
cat package.json | jq '.scripts'
ls -la && git status -sb
head -50 README.md; echo ---; tail -20 x
git show HEAD:src/a.py | sed -n '1,40p'
rg -n --hidden -g '!node_modules' foo
tree -L 2 -I 'node_modules|dist'
du -sh * | sort -h
basename $(pwd)
echo "exit: $?"
grep "a > b; c | d && e" f
grep "it's" f # a comment; rm x
cat<f
ls >/dev/null 2>&1; echo $?
(cd src && ls) && { ls; pwd; }
! grep -q foo f && echo none
diff <(sort a) <(sort b)
git diff $(git merge-base main HEAD)..HEAD --stat
sort -t$'\t' -k2 f
GIT_PAGER=cat git log -3
bash -lc 'git status | head -3'
timeout 5 git log -1
env | grep -i node
command -v rg >/dev/null 2>&1 && echo yes || echo no
find src -name '*.ts' -exec grep -l foo {} +
find . -name '*.py' -print0 | xargs -0 wc -l | tail -1
xargs -I{} grep -n foo {} < list
printf '%-20s %d\n' name 42
[ -n "$FOO" ] && echo "$FOO"
[ "$(git ls-files | wc -l)" -gt 10 ]
cat src/{a,b}.py
python3 --version
git stash show -p stash@{0}
"""

_BY_SECOND_OPINION = r"""
for f in *.py; do head -3 "$f"; done
for f in src/*.py; do sed -n 1,3p "$f"; done
for f in a b c; do echo "== $f"; sed -n 1,5p $f; done
[[ -f x && -r x ]] && cat x
if [ -f a ]; then cat a; elif [[ $x == y* ]]; then cat b; else echo none; fi
while IFS= read -r line; do echo "$line"; done < f
case "$(uname)" in Darwin) echo mac;; *) echo other;; esac
f=src/a.py; sed -n 1,5p "$f"
n=3; echo $((n * 2))
n=$(wc -l < f); [ "$n" -gt 10 ] && echo long
for ((i = 0; i < 3; i++)); do echo $i; done
echo "${x:-none} ${f%.py} ${#x}"
echo "${x:-$(pwd)}" ${y:-"a b"}
BASE=$(git merge-base main HEAD); git diff $BASE --stat
for c in $(git rev-list HEAD | head -3); do git show --stat $c; done
time (ls | wc -l)
i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done
files=(a b); cat "${files[@]}"
"""

_REFUSED = r"""
touch P
ls; touch P
ls && touch P
ls & touch P
ls | tee P
echo $(touch P)
echo "`touch P`"
cat <(touch P)
ls > P
ls 2> P
ls >| P
ls &> P
ls <> P
ls > /dev/null/../P
ls > "$X"
ls > >(cat)
PATH=. ls
PATH=.; ls
path=.; ls
export GIT_PAGER=./evil; git log
for PATH in .; do ls; done
read PATH < f; ls
LD_PRELOAD=./x.so ls
$X ls
"$X" P
ls$X P
{touch,P}
./ls
to""uch P
eval ls
exec ls
. ./evil.sh
source evil.sh
alias ls=rm
trap 'touch P' EXIT
ls() { touch P; }; ls
function ls { touch P; }
coproc touch P
bash evil.sh
bash -c 'touch P'
bash -c "$X"
bash -ic ls
cat f | sh
env -S 'touch P'
env PATH=. ls
env $X ls
command -p touch P
nohup ls
sort *
sort $X
sort -o f
sort -no f
sort --outp=f
sort f -osrc/b
sort -k"$x" -- -o f
x=-oP; sort "$x"
for x in -oP; do sort "$x"; done
for x in *; do sed -n 1p "$x"; done
false && f=./a; sort "$f"
sort "$f"; f=./a
f=./a | sort "$f"
IFS=a; f=xa-oP; sort $f
uniq a b
uniq a -c
tree -Io pattern file
xxd a b
xxd -ps a b
file -C -m x
base64 -o P f
find . -delete
find "$D" -name x
find . -fprint P
find . -exec sh -c 'cat {}' \;
find . -exec sed -i s/a/b/ {} +
ls | xargs rm
ls | xargs sort
ls | xargs -I{} sh -c 'cat {}'
ls | xargs -I{} -n1 git log {}
rg --pre ./evil x
rg foo *
fd -x rm
tar xf a.tar
tar tf host:a.tar
tar tf a.tar --to-command=./evil
tar t$X a.tar
tar -tfv host:a.tar
unzip a.zip
unzip -T a.zip
gzip f
xz -l -d f
date 01010101
date -s now
hostname x
less '+!touch P' f
jobs -x touch P
printf -v x %s y
printf '%d' 'a[$(touch P)]'
test -v 'a[$(touch P)]'
[ "$x" -eq 1 ]
[[ -v 'a[$(touch P)]' ]]
[[ $x -eq 1 ]]
x='a[$(touch P)]'; echo $((x))
echo $((`touch P`))
echo ${x:=5}
echo ${x@P}
echo ${!x}
echo "${x/$(touch P)/}"
a[$(touch P)]=1
declare -i x=1
let x=1
planrail set PLAN.md 1 done
ls | ! cat
IFS=x; sort $(git rev-parse ax-oP)
n=-9; gzip -l x; sort $n
arch -arm64 touch P
LC_ALL='() { :; }; touch P' ls
git log --show-signature
git log --format=%G?
gh pr list -w x
git log --remerge-diff --all
COLUMNS='a[$(touch P)0]' ls
LINES='a[$(touch P)0]'; ls
for LINES in 'a[$(touch P)0]'; do ls; done
read COLUMNS < f
git config user.name --get
git config user.name --global
echo "${x:-'$(touch P)'}"
echo "${x:-'}$(touch P)'}"
echo "${x/'$(touch P)'/b}"
echo "${x:-a"b'c"d'$(touch P)'}"
[[ "${y:-'$(touch P)'}" ]]
{ echo } always { touch P; }
[[ -f x ]] && { echo } always { touch P; }
x=$(git rev-list HEAD | head 3); git show $x
f=./a; command command command read f <<< -oP; sort "$f"
f=./a; command declare f=-oP; sort "$f"
f=./a; \declare f=-oP; sort "$f"
match=./a; sort "$match"
find $(git merge-base 'docs -delete' HEAD 2>&1)
find $(git merge-base main HEAD 2>&1)
x=$(git rev-parse HEAD 2>&1); sort $x
sort $(git rev-parse 'a -oP')
ls >&'²'
ls 1<victim >/dev/stdout
{ echo x > /dev/stderr; } 2<victim
tee /dev/stdout 1<victim
unzip -q x.zip -l a
unzip -q x.zip a -l
xxd a -l8
gzip f -c
sort -T . f
file -p f
nm @f
man ./f
echo $1[x]
echo "$@[x]"
x=/dev/tcp/127.0.0.1/80; cat < "$x"
for x in /dev/tcp/127.0.0.1/80; do cat < "$x"; done
planrail approve PLAN.md
planrail plans archive x
npm install
gh pr create
docker run x
make -n
python3 -c 1
curl -o f http://x
"""


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


@pytest.mark.parametrize("command", _lines(_EVERYDAY))
def test_an_everyday_command_that_reads_is_allowed_at_once(command: str) -> None:
    assert judge_quickly(command).decision == "allow"


@pytest.mark.parametrize("command", _lines(_BY_SECOND_OPINION))
def test_a_construct_beyond_the_tokeniser_is_allowed_by_the_tree(command: str) -> None:
    assert judge_quickly(command).decision == "unsure"
    assert _decide(command) == "allow"


@pytest.mark.parametrize("command", _lines(_REFUSED))
def test_a_command_that_may_change_something_is_denied(command: str) -> None:
    assert _decide(command) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "l\\\ns; to\\\nuch P",
        'echo "$\\\n(touch P)"',
        "ls\r rm x",
        "ls\u00a0-la",
        "ls\0",
        "cat <<EOF\n$(touch P)\nEOF",
        "cat <<EOF\n`touch P`\nEOF",
        "cat <<EOF\n${x:-'}\n$(touch P)\n'}\nEOF",
        "cat <<EOF\n${x:-${y:-'}}\n$(touch P)\n'}}\nEOF",
        "cat <<EOF\n${x:-$'}\n$(touch P)\n'}\nEOF",
        "echo $(cat <<'EOF'\n) ; touch P #\nEOF\n)",
        "cat <<EOF\na \\\nEOF\necho '$(touch P)'\nEOF",
        "cat <<EOF > P\nx\nEOF",
        "ls\ntouch P",
        "ls |\ntouch P",
        "sort caf\u00e9-oP",
        "'",
        '"',
        "`",
        "$(",
        "ls |",
        "ls && ",
        "; ls",
        "ls ;; ls",
        "( )",
        "ls \\",
    ],
)
def test_text_that_could_be_read_in_two_ways_is_denied(command: str) -> None:
    assert _decide(command) == "deny"


@pytest.mark.parametrize("command", ["cat <<'EOF'\n$(touch P) ${x:-'}\nEOF", "grep -f - x <<EOF\nfoo\nEOF"])
def test_a_here_document_that_substitutes_nothing_is_allowed(command: str) -> None:
    assert _decide(command) == "allow"


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("sort -o f", "-o"),
        ("git log --output=x", "--output"),
        ("ls > P", "> P"),
        ("touch x", "touch"),
        ("rg --pre x y", "--pre"),
        ("PATH=. ls", "PATH"),
        ("sort $X", "option of sort"),
        ("git push", "git push"),
    ],
)
def test_a_denial_names_what_was_refused(command: str, named: str) -> None:
    assert named in decide("Bash", {"command": command}, _POLICY).reason


@pytest.mark.parametrize(
    "command", ["npm ls", "cargo metadata", "go list ./...", "./gradlew tasks", "python -c 'print(1)'"]
)
def test_a_denial_of_what_may_only_read_names_the_way_to_look(command: str) -> None:
    name = command.split()[0]
    verdict = decide("Bash", {"command": command}, _POLICY)
    assert (verdict.decision, f"use planrail look -- {name} …" in verdict.reason) == ("deny", True)
    assert _decide(f"planrail look -- {command}") == "allow"


@pytest.mark.parametrize(
    "command", ["rm x", "echo x > y", "sed -i s/a/b/ x", "tee x", "git push", "curl x", "sort -o x"]
)
def test_a_denial_of_what_surely_writes_or_connects_names_none(command: str) -> None:
    assert "planrail look" not in decide("Bash", {"command": command}, _POLICY).reason


def _cases() -> list[tuple[str, str, str]]:
    if not _CASES.is_file():
        return []
    rows = [json.loads(line) for line in _CASES.read_text("utf-8").splitlines()]
    return [
        (row["input"]["tool_input"]["command"], row["truth"], row["suggested_decision"])
        for row in rows
        if "truth" in row
    ]


@pytest.mark.skipif(not _CASES.is_file(), reason="the shared cases are not here")
def test_no_case_that_mutates_is_allowed() -> None:
    assert [
        command for command, truth, _ in _cases() if truth.startswith("mutates") and _decide(command) != "deny"
    ] == []


@pytest.mark.skipif(not _CASES.is_file(), reason="the shared cases are not here")
def test_at_most_one_harmless_case_in_twenty_is_denied() -> None:
    harmless = [command for command, truth, wanted in _cases() if truth == "read-only" and wanted == "allow"]
    denied = [command for command in harmless if _decide(command) != "allow"]
    assert len(denied) * 20 <= len(harmless), denied
