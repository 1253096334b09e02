"""Developers' programs of which a few sub-commands only report: versions, package lists, gh, docker, planrail."""

from planrail.guard.programs.options import INSTEAD, NO_LIMIT, check_options
from planrail.guard.shell.words import Word, may_be_option, name_set, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.guard.places import Line

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

# These ask git about the folder that they are in.
_RUNNING_GIT = ("gh", "planrail")

_PIP = {
    "list": ("eil", "editable local user pre format= not-required exclude= verbose", 0),
    "show": ("fv", "files verbose", NO_LIMIT),
    "freeze": ("lr:", "all local user exclude-editable exclude=", 0),
    "check": ("", "", 0),
}
# Which cluster, by which programs and with which cache is the user's to say: no --kubeconfig, --server, --cache-dir.
_WHERE = "namespace= context= "
_KUBECTL = {
    "version": ("", "client short output=", 0),
    "get": (
        "n:o:l:LAwf:R",
        _WHERE + "all-namespaces output= selector= field-selector= sort-by= show-labels no-headers watch filename="
        " ignore-not-found show-kind label-columns= chunk-size= recursive",
        NO_LIMIT,
    ),
    "describe": ("n:l:Af:", _WHERE + "all-namespaces selector= show-events filename=", NO_LIMIT),
    "logs": (
        "n:c:fpl:",
        _WHERE + "container= follow previous tail= since= since-time= timestamps all-containers selector= prefix",
        2,
    ),
    **dict.fromkeys(("top pod", "top pods", "top node", "top nodes"), ("n:l:A", _WHERE + "containers sort-by=", 1)),
    **dict.fromkeys(("explain", "api-resources", "api-versions", "cluster-info"), ("o:", "recursive output=", 1)),
    "config current-context": ("", "", 0),
    "config get-contexts": ("o:", "no-headers output=", 1),
    "config view": ("o:", "minify output= flatten", 0),
    "rollout status": ("n:w", _WHERE + "watch timeout=", NO_LIMIT),
    "rollout history": ("n:", _WHERE + "revision=", NO_LIMIT),
    "auth can-i": ("n:A", _WHERE + "list all-namespaces quiet", NO_LIMIT),
}
# No -H and -M, which start ssh or reach into a container.
_UNITS = "no-pager full all type= state= plain quiet user system lines= output= property= value failed no-legend"
_SYSTEMCTL = dict.fromkeys(
    ("status", "is-active", "is-enabled", "is-failed", "show", "cat", "list-units", "list-unit-files", "list-timers"),
    ("lan:o:p:qt:", _UNITS, NO_LIMIT),
)
# No --vacuum-*, --rotate, --flush, --cursor-file: those write.
_JOURNAL = (
    "unit= user-unit= lines= since= until= priority= grep= output= boot? identifier= dmesg follow reverse no-pager all"
    " pager-end catalog utc no-hostname quiet case-sensitive? merge list-boots disk-usage user system"
)
# program: {sub-command: (short options, long options, operands)}; "" is the program itself
_REPORTS: dict[str, dict[str, tuple[str, str, int]]] = {
    "planrail": {
        **dict.fromkeys(("show", "next", "lint", "guard", "context", "status"), ("h", "json help window=", NO_LIMIT)),
        **dict.fromkeys(("plans", "doctor", "--version", "-V", "version", "--help", "help"), ("h", "json help", 0)),
    },
    "pip": _PIP,
    "pip3": _PIP,
    "go": {"version": ("m", "", NO_LIMIT), "env": ("", "", NO_LIMIT)},
    "docker": {
        **dict.fromkeys(("ps", "container ls"), ("aqslnf:", "all quiet size latest last= no-trunc format= filter=", 0)),
        **dict.fromkeys(("images", "image ls"), ("aqf:", "all quiet digests no-trunc format= filter=", 1)),
        **dict.fromkeys(("network ls", "volume ls"), ("qf:", "quiet no-trunc format= filter=", 0)),
        **dict.fromkeys(
            ("inspect", "container inspect", "image inspect", "network inspect", "volume inspect"),
            ("f:s", "format= size type=", NO_LIMIT),
        ),
        **dict.fromkeys(("logs", "container logs"), ("fn:t", "tail= since= until= follow timestamps details", 1)),
        **dict.fromkeys(("history", "image history", "port", "top"), ("Hq", "human no-trunc quiet format=", NO_LIMIT)),
        "stats": ("a", "all no-stream no-trunc format=", NO_LIMIT),
        **dict.fromkeys(("version", "info"), ("f:", "format=", 0)),
        "compose version": ("", "short", 0),
        "compose ps": ("aq", "all quiet services orphans? no-trunc format= filter= status=", NO_LIMIT),
        "compose ls": ("aq", "all quiet format= filter=", 0),
    },
    "kubectl": _KUBECTL,
    "systemctl": _SYSTEMCTL,
    "journalctl": {"": ("u:n:p:g:o:b::t:afrekxmq", _JOURNAL, NO_LIMIT)},
    "dpkg": {"-l": ("", "", NO_LIMIT), "-L": ("", "", NO_LIMIT), "-s": ("", "", NO_LIMIT)},
    "gh": {
        **dict.fromkeys(
            ("pr view", "issue view", "repo view", "run view", "release view", "workflow view"),
            (
                "cvR:q:t:b:j:",
                "comments json= jq= template= repo= branch= log log-failed job= verbose exit-status yaml ref=",
                1,
            ),
        ),
        **dict.fromkeys(
            ("pr list", "issue list", "run list", "release list", "workflow list", "repo list", "label list"),
            (
                "aR:q:t:L:s:A:l:S:B:H:b:u:m:",
                "all repo= jq= template= limit= state= author= label= search= base= head= branch= workflow= user= json="
                " assignee= milestone= draft mention= commit= event= status= exclude-drafts",
                1,
            ),
        ),
        "api": ("iq:t:", "jq= paginate template= include slurp", 1),
        "pr diff": ("R:", "repo= name-only patch color=", 1),
        "pr checks": ("R:q:", "repo= required json= jq=", 1),
        "pr status": ("R:cq:", "repo= json= jq= conflict-status", 0),
        "issue status": ("R:q:", "repo= json= jq=", 0),
        "auth status": ("h:", "hostname=", 0),
        "search code": ("L:R:", "limit= repo= json= language= owner= extension= filename=", NO_LIMIT),
        "search issues": ("L:R:", "limit= repo= json= owner= state= label=", NO_LIMIT),
        "search prs": ("L:R:", "limit= repo= json= owner= state= label=", NO_LIMIT),
        "search repos": ("L:", "limit= json= owner= language= topic= sort=", NO_LIMIT),
    },
}


def judge_program(name: str, words: list[Word], line: "Line") -> str | None:
    """Why these arguments are not known to be read-only, "" if they are, None if the program is not known at all."""
    if name in _VERSIONED and _asks_version(name, words):
        return ""
    reports = _REPORTS.get(name)
    if reports is None:
        return None
    reason = _report(name, words, reports)
    if reason or name not in _RUNNING_GIT:
        return reason
    paths = words[1:] if name == "planrail" else []
    places: list[list[Word]] = [[]]
    for path in paths:
        if not may_be_option(path) or not path.exact:  # planrail asks git in the folder that a plan lies in
            folder = path.text.rpartition("/")[0] + "/." if "/" in path.text else "."
            places.append([Word(folder, exact=path.exact)])
    return next((why for place in places if (why := line.run_git(place))), "")


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
    for length in (2, 1):
        if len(words) >= length and all(word.exact for word in words[:length]):
            sub = " ".join(word.text for word in words[:length])
            if sub in reports:
                return _check(f"{name} {sub}", words[length:], reports[sub])
    if "" in reports:
        return _check(name, words, reports[""])
    what = " ".join(shown(word) for word in words[:2])
    return f"`{name} {what}` is not known to be read-only; {INSTEAD}"


def _check(name: str, words: list[Word], entry: tuple[str, str, int]) -> str:
    shorts, longs, limit = entry
    found = check_options(name, words, shorts, longs)
    if found.reason:
        return found.reason
    if limit < NO_LIMIT and (len(found.operands) > limit or not all(word.single for word in found.operands)):
        return f"`{name}` with more than {limit} operand(s) is not known to be read-only; give it fewer"
    return ""
