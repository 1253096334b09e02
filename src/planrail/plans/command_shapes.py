"""Command lines: is this piece of inline code something to run, the path of a script, or the name of a thing?

They are taken for what a reader sees, whatever else is in them that is not seen.
"""

import re

from planrail.base.patterns import pattern
from planrail.base.visible import as_seen


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Programs that people verify or build with: naming one, with arguments, is naming something to run.
_RUNNERS = _words(
    "make just task tox nox pytest python python3 uv poetry pdm hatch pipenv ruff mypy pyright black isort flake8 "
    "pylint npm npx yarn pnpm bun bunx node deno tsc tsx eslint prettier jest vitest playwright cypress biome turbo "
    "nx lerna cargo rustc rustup go golangci-lint gofmt gotestsum gradle gradlew mvn mvnw ant sbt scala kotlinc "
    "swift swiftc xcodebuild xcrun dotnet nuget msbuild cmake ctest ninja bazel meson gcc clang g++ zig ruby rake "
    "rspec bundle rails php composer phpunit artisan mix elixir iex rebar3 lein clj stack cabal ghc lake lean julia "
    "perl prove lua luac nvim bash sh zsh fish shellcheck shfmt bats git gh glab grep egrep rg ag ack test diff cmp "
    "jq yq curl wget http docker docker-compose podman kubectl helm terraform tofu pulumi ansible-playbook forge "
    "anvil hardhat psql sqlite3 mysql redis-cli alembic flyway prisma supabase flutter dart pub sed awk find ls wc "
    "cat head tail stat sha256sum nix openspec pre-commit act semgrep bandit trivy hadolint actionlint markdownlint "
    "rubocop standardrb swiftlint ktlint buf sqlfluff yamllint stylelint oxlint svelte-check vue-tsc py.test pip pip3 "
    "uvx pipx mise "
    "vale typst latexmk quarto mkdocs sphinx-build wrangler vercel netlify fly aws gcloud az ssh systemctl timeout "
    "journalctl time env xargs claude codex planrail true false : echo printf exit [ [["
)
# Of these, the ones that are a whole command by themselves.
_ALONE = _words(
    "make just tox nox pytest mypy pyright tsc jest vitest rspec rake ctest ninja phpunit pre-commit ruff flake8 "
    "pylint shellcheck golangci-lint rubocop standardrb swiftlint py.test true false :"
)
# Ordinary words: a command only where an option, a path or a quoted argument follows.
_ORDINARY = _words("test find head tail cat time env act task just http fly stack pub forge diff stat")
_GO = pattern(r"(?:test|build|vet|run|generate|mod|fmt|list|tool|install|get|work)\b")
_PREPARES = pattern(
    r"(?:\S+ )?(?:install|i|add|init|ci|create|new|clone|commit|push|pull|fetch|checkout|switch|branch|merge|rebase|"
    r"stash|tag|mv|rm|cherry-pick|remove|uninstall|upgrade|login)\b"
)
_SETS_UP = _words(
    "cd mkdir rm mv cp touch echo printf export source brew apt apt-get pip pip3 sudo chmod ln exit true :"
)
_ASSIGNMENT = pattern(r"(?:[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\S*)\s+)+")
_ENVIRONMENT = pattern(r"[A-Z_][A-Z0-9_]*=")
_ARGUMENT = pattern(r"(?:^|\s)(?:-{1,2}\w|\S*[/.$\"'=*]|\d)")
_OPTION = pattern(r"(?:^|\s)-{1,2}[A-Za-z]")
_PROGRAM = pattern(r"[a-z][\w.+-]*$")
_EXPRESSION = pattern(r"[({]|[=-]>|\s[=+<>*/-]=?=?\s|^\w+:")
_JOINT = pattern(r"\s*(?:&&|\|\||;|\|)\s*")
# What a line begins with that goes somewhere first, and does its work behind the next joint.
_LEADS = _words("cd pushd export source . set mkdir rm cp mv touch")

_PARTS = r"(?:[\w.@+-]+/)"
_SCRIPT = pattern(
    rf"/{_PARTS}*s?bin/[\w.+-]+$|(?:\.{{1,2}}/)?{_PARTS}*(?:s?bin|\.bin|Scripts|scripts?|hack)/[\w+-]+$|"
    rf"(?:\.{{1,2}}/)?{_PARTS}*\.?[\w-]*env/bin/[\w.+-]+$|/?{_PARTS}+[\w.+-]+\.(?:sh|bash|zsh|fish|bats|ps1|cmd|bat)$"
)
_PLAIN_PATH = pattern(rf"{_PARTS}+[\w+-]+$")
_NO_PROGRAM = pattern(
    r"\.(?:md|mdx|txt|rst|json|jsonc|ya?ml|toml|ini|cfg|conf|lock|html?|s?css|csv|xml|svg|png|jpe?g|gif|pdf|tsx?|jsx|go|rs|"
    r"java|kt|c|h|cc|cpp|hpp|cs|swift|sql|proto|env|log)$",
    re.IGNORECASE,
)
_TEST_FILE = pattern(r"\S*(?:(?:^|/)test_[\w.-]+\.\w+|[._](?:test|spec)\.\w+)(?:::\S+)?$")
_ONE_WORD = pattern(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:\.(?:sh|bash|bats))?$")


def looks_runnable(text: str) -> bool:
    """Whether a piece of inline code is a command line rather than a name, a path or a value."""
    line = as_seen(without_prompt(text)).lstrip("(").removeprefix("! ").strip()
    first, *others = _JOINT.split(line)
    if others and (first.partition(" ")[0] in _LEADS or is_script(first)):
        return any(looks_runnable(part) or is_script(part) for part in others)
    command = _ASSIGNMENT.sub("", line, count=1)
    program, _, rest = command.removeprefix("! ").partition(" ")
    rest = rest.strip()
    if program.startswith(("./", "../")):
        return not program.endswith("/") and not _NO_PROGRAM.search(program)
    if "/" in program or program.endswith((".sh", ".py")):
        return _runs_path(program, rest, is_set=command != line)
    if program not in _RUNNERS:
        is_set = bool(_ENVIRONMENT.match(line)) and command != line
        is_plain = bool(_PROGRAM.match(program)) and not _EXPRESSION.search(command)
        return is_plain and (is_set or bool(_OPTION.search(rest)))
    if not rest:
        return program in _ALONE
    if program == "go":
        return bool(_GO.match(rest))
    return program not in _ORDINARY or bool(_ARGUMENT.search(rest))


def _runs_path(program: str, rest: str, *, is_set: bool) -> bool:
    """Whether a path stands there as a program: with arguments, or with variables that are set for it."""
    if is_script(program):
        return bool(rest) or is_set
    if program.endswith((".sh", ".py")):
        return "/" in program and bool(rest)
    return bool(_PLAIN_PATH.match(program) and _OPTION.search(rest))


def is_script(text: str) -> bool:
    """Whether a path, with nothing behind it, is that of a program: its ending or its folder says so."""
    return _SCRIPT.match(as_seen(text)) is not None


def may_run(text: str) -> bool:
    """Whether a piece of inline code that is neither could be meant to be run all the same."""
    text = as_seen(text)
    program, _, rest = text.partition(" ")
    if rest.strip():
        return bool(_PROGRAM.match(program)) and not _EXPRESSION.search(text)
    return any(shape.match(text) for shape in (_ONE_WORD, _PLAIN_PATH, _TEST_FILE))


def is_likely(text: str) -> bool:
    """Whether such a thing is a command where it is said to succeed: it has arguments, or lies in a folder."""
    text = as_seen(text)
    return " " in text or _PLAIN_PATH.match(text) is not None


def can_verify(command: str) -> bool:
    """Whether a runnable command tells something about the work, rather than preparing or recording it."""
    last = re.split(r"&&|;", as_seen(without_prompt(command)))[-1].strip()
    program, _, rest = _ASSIGNMENT.sub("", last, count=1).partition(" ")
    return bool(program) and program not in _SETS_UP and not _PREPARES.match(rest)


def without_prompt(text: str) -> str:
    return text.strip().removeprefix("$ ").strip()
