"""Developers' programs of which a few sub-commands only report: versions, package lists, gh, docker, planrail."""

from planrail.guard.places import Line
from planrail.guard.programs.options import NO_LIMIT, check_options, or_look, read_sections, read_table
from planrail.guard.shell.words import Word, may_be_option, name_set, shown

# Only the question for the version, and nothing else, is allowed of these. Left out are those that load something of
# the project's even for that: cargo and rustc (rust-toolchain.toml), mvn (.mvn/jvm.config), bazel (tools/bazel), pnpm
# (packageManager), poetry, pdm and flake8 (plugins in the folder), ansible (ansible.cfg), dotnet (global.json), erl
# (.erlang).
_VERSIONED = name_set(
    "python python3 python2 node npm npx bun deno ruby gem perl php java javac"
    " kotlin scala go gcc g++ cc c++ clang clang++ make cmake ninja ld docker docker-compose"
    " podman kubectl helm terraform tofu aws gcloud az gh hub glab pip pip3 pipx uv conda ruff black mypy"
    " pylint tsc swift swiftc lua luajit"
    " R julia ghc stack cabal zig nim crystal ocaml opam psql mysql sqlite3 redis-cli redis-server"
    " nginx ssh openssl curl wget rsync brew apt apt-get dpkg rg fd bat jq yq fzf tmux vim nvim emacs"
    " shellcheck shfmt hadolint actionlint golangci-lint gofmt staticcheck protoc buf pre-commit codex"
    " claude gemini opencode biome oxlint ffmpeg convert pandoc"
)
_CAPITAL_V = name_set("python python3 pip pip3 ssh tmux uv deno rg fd bat mypy nginx")
_SHORT_V = name_set("node npm npx bun ruby perl php gem lua")

# kubectl: which cluster, by which programs and with which cache is the user's to say: no --kubeconfig, --server,
# --cache-dir. systemctl: no -H and -M, which start ssh or reach into a container. journalctl: no --vacuum-*, --rotate,
# --flush, --cursor-file, which write. A row without a name is for the program itself.
_REPORTS = read_sections("""
[planrail]
show, next, lint, guard, context, status, list, log: h * json help window= all
config: h 1 json help all
plans, doctor, --version, -V, version, --help, help: h 0 json help
[pip]
list: eil 0 editable local user pre format= not-required exclude= verbose
show: fv * files verbose
freeze: lr: 0 all local user exclude-editable exclude=
check: - 0
[go]
version: m *
env: - *
[docker]
ps, container ls: aqslnf: 0 all quiet size latest last= no-trunc format= filter=
images, image ls: aqf: 1 all quiet digests no-trunc format= filter=
network ls, volume ls: qf: 0 quiet no-trunc format= filter=
inspect, container inspect, image inspect, network inspect, volume inspect: f:s * format= size type=
logs, container logs: fn:t 1 tail= since= until= follow timestamps details
history, image history, port, top: Hq * human no-trunc quiet format=
stats: a * all no-stream no-trunc format=
version, info: f: 0 format=
compose version: - 0 short
compose ps: aq * all quiet services orphans? no-trunc format= filter= status=
compose ls: aq 0 all quiet format= filter=
[kubectl]
version: - 0 client short output=
get: n:o:l:LAwf:R * namespace= context= all-namespaces output= selector= field-selector= sort-by= show-labels \
    no-headers watch filename= ignore-not-found show-kind label-columns= chunk-size= recursive
describe: n:l:Af: * namespace= context= all-namespaces selector= show-events filename=
logs: n:c:fpl: 2 namespace= context= container= follow previous tail= since= since-time= timestamps all-containers \
    selector= prefix
top pod, top pods, top node, top nodes: n:l:A 1 namespace= context= containers sort-by=
explain, api-resources, api-versions, cluster-info: o: 1 recursive output=
config current-context: - 0
config get-contexts: o: 1 no-headers output=
config view: o: 0 minify output= flatten
rollout status: n:w * namespace= context= watch timeout=
rollout history: n: * namespace= context= revision=
auth can-i: n:A * namespace= context= list all-namespaces quiet
[systemctl]
status, is-active, is-enabled, is-failed, show, cat, list-units, list-unit-files, list-timers: lan:o:p:qt: * no-pager \
    full all type= state= plain quiet user system lines= output= property= value failed no-legend
[journalctl]
: u:n:p:g:o:b::t:afrekxmq * unit= user-unit= lines= since= until= priority= grep= output= boot? identifier= dmesg \
    follow reverse no-pager all pager-end catalog utc no-hostname quiet case-sensitive? merge list-boots disk-usage \
    user system
[dpkg]
-l, -L, -s: - *
[gh]
pr view, issue view, repo view, run view, release view, workflow view: cvR:q:t:b:j: 1 comments json= jq= template= \
    repo= branch= log log-failed job= verbose exit-status yaml ref=
pr list, issue list, run list, release list, workflow list, repo list, label list: aR:q:t:L:s:A:l:S:B:H:b:u:m: 1 all \
    repo= jq= template= limit= state= author= label= search= base= head= branch= workflow= user= json= assignee= \
    milestone= draft mention= commit= event= status= exclude-drafts
api: iq:t: 1 jq= paginate template= include slurp
pr diff: R: 1 repo= name-only patch color=
pr checks: R:q: 1 repo= required json= jq=
pr status: R:cq: 0 repo= json= jq= conflict-status
issue status: R:q: 0 repo= json= jq=
auth status: h: 0 hostname=
search code: L:R: * limit= repo= json= language= owner= extension= filename=
search issues, search prs: L:R: * limit= repo= json= owner= state= label=
search repos: L: * limit= json= owner= language= topic= sort=
""")


def judge_program(name: str, words: list[Word], line: Line) -> str | None:
    """Why these arguments are not known to be read-only, "" if they are, None if the program is not known at all."""
    if name in _VERSIONED and _asks_version(name, words):
        return ""
    if name == "planrail" and words and words[0].exact and words[0].text == "look":
        return _judge_look(words[1:])
    reports = _REPORTS.get("pip" if name == "pip3" else name)
    if reports is None:
        return None
    reason = _report(name, words, read_table(reports))
    if reason or name not in ("gh", "planrail"):  # these ask git about the folder that they are in
        return reason
    places: list[list[Word]] = [[]]
    for path in words[1:] if name == "planrail" else []:
        if not may_be_option(path) or not path.exact:  # planrail asks git in the folder that a plan lies in
            folder = path.text.rpartition("/")[0] + "/." if "/" in path.text else "."
            places.append([Word(folder, exact=path.exact)])
    return next((why for place in places if (why := line.run_git(place))), "")


def _judge_look(words: list[Word]) -> str:
    """A command behind `--` can be any: it is run where nothing can be written, and asks nobody."""
    rest = words[1:] if words and words[0].exact and words[0].text == "--json" else words
    is_apart = len(rest) > 1 and rest[0].exact and rest[0].text == "--"
    return "" if is_apart else "`planrail look` runs what stands behind --; use planrail look -- COMMAND"


def _asks_version(name: str, words: list[Word]) -> bool:
    if len(words) != 1 or not words[0].exact:
        return False
    text = words[0].text
    if text == "version":
        return name in ("go", "docker", "terraform", "helm", "openssl", "npm", "gh", "uv")
    if text in ("-v", "-version"):
        return (text == "-v" and name in _SHORT_V) or (text == "-version" and name in ("java", "javac", "scala"))
    return text == "--version" or (text == "-V" and name in _CAPITAL_V)


def _report(name: str, words: list[Word], reports: dict[str, tuple[str, str, int]]) -> str:
    for length in (2, 1, 0):
        sub = " ".join(word.text for word in words[:length])
        if len(words) < length or sub not in reports or not all(word.exact for word in words[:length]):
            continue
        name = f"{name} {sub}" if length else name
        shorts, longs, limit = reports[sub]
        found = check_options(name, words[length:], shorts, longs)
        is_more = len(found.operands) > limit or not all(word.single for word in found.operands)
        if not found.reason and limit < NO_LIMIT and is_more:
            return f"`{name}` with more than {limit} operand(s) is not known to be read-only; give it fewer"
        return found.reason
    what = " ".join(shown(word) for word in words[:2])
    return f"`{name} {what}` is not known to be read-only; {or_look(name)}"
