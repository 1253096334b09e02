"""Checks: the commands by which a phase verifies itself.

A fenced block with the info string `sh check` is a check, and so is a bullet under "Acceptance Criteria" that
begins with a command in backticks. planrail runs both and believes their exit status alone. A bullet that expects
a failure or an empty search ("`grep -r TODO src` finds nothing") says the opposite of its exit status, and is left
to a verifier.
"""

import re

from planrail.plans.blocks import Item, Text
from planrail.plans.model import Check
from planrail.plans.outline import Section, any_criteria, fences, is_criteria


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_INFO = re.compile(r"(?:sh|bash|shell|zsh)[ \t]+check\b", re.IGNORECASE)
_LEADING_CODE = re.compile(r"\**(?P<ticks>`+)(?P<code>(?:(?!(?P=ticks)).)+)(?P=ticks)")
_LABEL = re.compile(r"[*_]{1,2}[^*_]{2,60}[*_]{1,2}.{0,60}$|.{2,60}[:：][*_]{0,2}$")
_CONTRARY = re.compile(
    r"^\W*(?:must |should |still |now |currently )*(?:fail|error|is rejected|is empty|"
    r"exits? (?:with )?(?:an? )?(?:error|(?:code |status )?[1-9]|non-?zero)|"
    r"returns? (?:an? )?(?:error|non-?zero|(?:exit )?(?:code|status) [1-9])|"
    r"(?:return|print|output|find|show|produce|yield|report|match|list|give)\w* (?:nothing|no\b|empty|zero|none)|"
    r"(?:has |gives )?no (?:output|match|hit|result)|不|未|失敗|失败|실패|なし)",
    re.IGNORECASE,
)
_ZERO = re.compile(r"^\W*(?:\w+ ){0,2}[`*]*0\b", re.IGNORECASE)
_SEARCHES = re.compile(r"(?:git )?(?:grep|egrep|fgrep|rg|ag|ack)\b")

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
    "vale typst latexmk quarto mkdocs sphinx-build wrangler vercel netlify fly aws gcloud az ssh systemctl timeout "
    "journalctl time env xargs claude codex planrail true false : echo printf exit [ [["
)
# Of these, the ones that are a whole command by themselves.
_ALONE = _words(
    "make just tox nox pytest mypy pyright tsc jest vitest rspec rake ctest ninja phpunit pre-commit ruff flake8 "
    "pylint shellcheck golangci-lint true false :"
)
# Ordinary words: a command only where an option, a path or a quoted argument follows.
_ORDINARY = _words("test find head tail cat time env act task just http fly stack pub forge diff stat")
_GO = re.compile(r"(?:test|build|vet|run|generate|mod|fmt|list|tool|install|get|work)\b")
_PREPARES = re.compile(
    r"(?:\S+ )?(?:install|i|add|init|ci|create|new|clone|commit|push|pull|fetch|checkout|switch|branch|merge|rebase|"
    r"stash|tag|mv|rm|cherry-pick|remove|uninstall|upgrade|login)\b"
)
_SETS_UP = _words(
    "cd mkdir rm mv cp touch echo printf export source brew apt apt-get pip pip3 sudo chmod ln exit true :"
)
_ASSIGNMENT = re.compile(r"(?:[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\S*)\s+)+")
_ARGUMENT = re.compile(r"(?:^|\s)(?:-{1,2}\w|\S*[/.$\"'=*]|\d)")
_PROGRAM = re.compile(r"[a-z][\w.+-]*$")


def read_checks(sections: list[Section]) -> list[Check]:
    """The checks in the sections of a phase, its own section first, in document order."""
    blocks = [Check(fence.body.strip("\n"), fence.line) for fence in fences(sections) if _INFO.match(fence.info)]
    bullets = [check for item in _criteria(sections) if (check := _read_bullet(item)) is not None]
    return sorted(blocks + bullets, key=lambda check: check.line)


def _read_bullet(item: Item) -> Check | None:
    code = _LEADING_CODE.match(item.text)
    if code is None or not looks_runnable(code["code"]):
        return None
    command = _without_prompt(code["code"])
    return None if _expects_failure(command, item.text[code.end() :]) else Check(command, item.line)


def _expects_failure(command: str, rest: str) -> bool:
    searches = _SEARCHES.match(command) is not None
    return bool(_CONTRARY.match(rest) or (searches and _ZERO.match(rest)))


def _criteria(sections: list[Section]) -> list[Item]:
    """The list items that stand under a heading, a label or an item that announces criteria."""
    found: list[Item] = []
    for section in sections:
        under_heading = any_criteria(section, sections[0])
        under_label = False
        for block in section.blocks:
            if isinstance(block, Text) and block.depth == 0 and _LABEL.match(block.text):
                under_label = is_criteria(block.text)
            elif isinstance(block, Item) and (under_heading or under_label or _has_criteria_above(block)):
                found.append(block)
    return found


def _has_criteria_above(item: Item) -> bool:
    parent = item.parent
    while parent is not None:
        if is_criteria(parent.text[:80]) and _LABEL.match(parent.text):
            return True
        parent = parent.parent
    return False


def looks_runnable(text: str) -> bool:
    """Whether a piece of inline code is a command line rather than a name, a path or a value."""
    command = _ASSIGNMENT.sub("", _without_prompt(text), count=1)
    program, _, rest = command.removeprefix("! ").partition(" ")
    rest = rest.strip()
    if program.startswith(("./", "../")) or (program.endswith((".sh", ".py")) and rest):
        return program.count("/") > 0 and not program.endswith("/")
    if program not in _RUNNERS:
        return bool(_PROGRAM.match(program)) and rest.startswith("-") and " " not in rest.split("=")[0]
    if not rest:
        return program in _ALONE
    if program == "go":
        return bool(_GO.match(rest))
    return program not in _ORDINARY or bool(_ARGUMENT.search(rest))


def can_verify(command: str) -> bool:
    """Whether a runnable command tells something about the work, rather than preparing or recording it."""
    last = re.split(r"&&|;", _without_prompt(command))[-1].strip()
    program, _, rest = _ASSIGNMENT.sub("", last, count=1).partition(" ")
    return bool(program) and program not in _SETS_UP and not _PREPARES.match(rest)


def _without_prompt(text: str) -> str:
    return text.strip().removeprefix("$ ").strip()
