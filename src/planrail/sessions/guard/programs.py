"""Developers' programs of which a few sub-commands only report: versions, package lists, gh, docker, planrail."""

from planrail.sessions.guard.options import INSTEAD, NO_LIMIT, check_options
from planrail.sessions.guard.words import Word, name_set, shown

# Only the question for the version, and nothing else, is allowed of these.
_VERSIONED = name_set(
    "python python3 python2 node npm npx pnpm bun deno ruby gem perl php java javac mvn"
    " kotlin scala go rustc cargo rustup gcc g++ cc c++ clang clang++ make cmake ninja ld docker docker-compose"
    " podman kubectl helm terraform tofu aws gcloud az gh hub glab pip pip3 pipx uv poetry pdm conda ruff black mypy"
    " pylint flake8 tsc swift swiftc dotnet lua luajit"
    " R julia ghc stack cabal elixir erl zig nim crystal ocaml opam psql mysql sqlite3 redis-cli redis-server"
    " nginx ssh openssl curl wget rsync ansible brew apt apt-get dpkg rg fd bat jq yq fzf tmux vim nvim emacs"
    " shellcheck shfmt hadolint actionlint golangci-lint gofmt staticcheck protoc buf bazel bazelisk pre-commit codex"
    " claude gemini opencode biome oxlint ffmpeg convert pandoc"
)
_CAPITAL_V = name_set("python python3 pip pip3 cargo rustc ssh tmux uv deno rg fd bat mypy nginx")
_SHORT_V = name_set("node npm npx pnpm bun ruby perl php gem lua mvn")

_PIP = {
    "list": ("eil", "editable local user pre format= not-required exclude= verbose", 0),
    "show": ("fv", "files verbose", NO_LIMIT),
    "freeze": ("lr:", "all local user exclude-editable exclude=", 0),
    "check": ("", "", 0),
}
# program: {sub-command: (short options, long options, operands)}
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
        "version": ("f:", "format=", 0),
        "compose version": ("", "short", 0),
    },
    "kubectl": {"version": ("", "client short", 0)},
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


def judge_program(name: str, words: list[Word]) -> str | None:
    """Why these arguments are not known to be read-only, "" if they are, None if the program is not known at all."""
    if name in _VERSIONED and _asks_version(name, words):
        return ""
    reports = _REPORTS.get(name)
    if reports is None:
        return None
    return _report(name, words, reports)


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
