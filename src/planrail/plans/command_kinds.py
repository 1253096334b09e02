"""Kinds of commands: which judge the work by how they end, and which are never run to verify it?

A program that tests, builds or lints is meant to succeed wherever it is named as a verification. What does not end by
itself, has a placeholder, starts an agent, prepares or publishes something is run by a person or an agent.
"""

import re

from planrail.base.patterns import pattern
from planrail.base.visible import as_seen

NEVER_ENDS = "it starts something that does not end by itself"
PLACEHOLDER = "it has a placeholder"
OF_AGENT = "it is a command of an agent, and not of a shell"
PREPARES = "it prepares, changes or publishes something, which judges nothing"
SHOWS = "it only shows something, and succeeds whatever that is"
SWALLOWED = "its end is not that of the program which judges"
NEEDS_SERVER = "it needs something that is running already"
ELSEWHERE = "it goes to a place outside of the working tree"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_JOINT = pattern(r"\s*(?:&&|\|\||;|\|)\s*")
_ASSIGNMENTS = pattern(r"(?:[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\S*)\s+)+")
# What only starts another program, which stands behind it.
_WRAPPERS = pattern(
    r"(?:time|command|exec|xvfb-run(?: -a)?|env|cross-env|dotenv(?: -e \S+)?(?: --)?|nice(?: -n \d+)?|"
    r"timeout(?: -\S+)* \S+|"
    r"npx(?: --?\S+)*|bunx(?: --?\S+)*|(?:pnpm|npm|yarn|bun) (?:exec|dlx|x)(?: --)?|(?:uv|poetry|pdm|pipenv|hatch|rye|"
    r"pixi) run"
    r"(?: --?[\w-]+(?:=\S+)?)*|uvx|pipx run|bundle exec|(?:python|python3|py) -m|(?:\S*/)?bin/python3? -m|"
    r"coverage run(?: -m)?|"
    r"docker[ -]compose (?:-f \S+ )*(?:exec|run)(?: -\S+)* \S+|docker exec(?: -\S+)* \S+|mise (?:exec|x) --|"
    r"nix develop(?: \S+)? -c|direnv exec \S+|ddev|sail|!)\s+"
)
_ALONE = _words(
    "pytest py.test jest vitest mocha ava tape tap rspec phpunit pest tox nox ctest mypy pyright basedpyright flake8 "
    "pylint "
    "bandit eslint oxlint stylelint tsc vue-tsc svelte-check shellcheck bats actionlint hadolint markdownlint yamllint "
    "markdownlint-cli2 sqlfluff rubocop standardrb swiftlint ktlint detekt luacheck golangci-lint staticcheck "
    "gotestsum "
    "phpstan psalm phpcs prove busted knip publint attw semgrep cppcheck clang-tidy ninja ruff unittest compileall "
    "py_compile pip-audit lint-imports deptry codespell make karma elm-test"
)
_TASK = r"(?:\S*[:_./-])?(?:tests?|lint\w*|checks?|builds?|tsc|types?|typecheck\w*|verify|validate|e2e|specs?|coverage|"
_TASK += r"compile|audit|ci|unit|smoke)"
_TASK += r"(?:[:_.-]\S*)?(?=\s|$)"
_OPTIONS = r"(?:--?[\w-]+(?:[= ](?!run\b|test\b)[^\s-]\S*)?\s+)*"
# By the program, what behind it makes it judge.
_WITH = {
    "npm pnpm yarn bun deno": rf"{_OPTIONS}(?!ci\b)(?:(?:run|run-script|task|workspace \S+|-r|-w \S+|"
    r"--filter[= ]\S+)\s+)*"
    rf"(?:{_TASK}|t\b|fmt --check)",
    "cargo": r"(?:\+\S+ )?(?:test|check|clippy|build|nextest|doc|deny|audit|llvm-cov|fmt\b.*--check)\b",
    "go": r"(?:test|vet|build)\b",
    "just task mage rake gmake bazel nx turbo lerna moon invoke inv composer gradle gradlew mvn mvnw sbt ant lein mix "
    "dotnet "
    "swift flutter dart zig stack cabal lake forge anchor hardhat xcodebuild meson rails artisan helm nix ng next "
    "vite astro "
    "nuxt gleam elm hatch openspec planrail west idf.py pio platformio tuist fastlane earthly xcrun melos": (
        rf"(?:.*\s)?(?:{_TASK}|analy[sz]e|template|(?:\S*:)?assemble\w*|compile)(?:\s|$)"
    ),
    "make": rf"(?:-\S+(?: \S+/?)? )*{_TASK}",
    "cmake": r"--build\b",
    "php": r"(?:artisan test|-l|vendor/bin/\w+)\b",
    "docker docker-compose": r"(?:compose )?(?:-f \S+ )*(?:build|config)\b",
    "terraform tofu": r"(?:-chdir=\S+ )?(?:validate|plan|fmt -check)\b",
    "pre-commit prek lefthook": r"run\b",
    "black isort": r".*--check\b",
    "prettier biome dprint gofmt shfmt stylua rustfmt swiftformat": r"(?:.*\s)?(?:--check|-c|check|ci|lint|-d|"
    r"--list-different)\b",
    "playwright cypress detox": r"(?:test|run|verify)\b",
    "node": r"--(?:test|check|experimental-test)\b|\S*(?:test|check|verify|smoke)\S*\.[cm]?[jt]s\b",
    "python python3": r"\S*(?:test|check|verify|smoke|validate|lint)\S*\.py\b|manage\.py (?:test|check|"
    r"makemigrations --check)\b",
    "bash sh zsh": r"-n\b|\S*(?:test|check|verify|smoke|validate|lint|build)\S*\.(?:sh|bash|bats)\b",
    "git": r"diff\b.*--(?:check|exit-code|quiet)\b",
    "tsup webpack rollup esbuild": r"",
}
_BY_PROGRAM = {name: rest for names, rest in _WITH.items() for name in names.split()}
_SCRIPT = pattern(r"[\w-]*(?:test|check|verify|smoke|validate|lint|build)[\w-]*(?:\.(?:sh|bash|bats))?$")

_WATCHES = pattern(
    r"(?:^|\s)--watch(?:-?all)?(?!\S*=false)\b|(?:^|[\s:_-])watch(?:\s|$)|(?:^|\s)--(?:ui|follow|reload|inspect\S*)\b|"
    r"&$"
)
_RUNS_ON = r"(?:dev|start|serve|server|watch|preview|storybook|studio|develop|tunnel|ios|android|emulators?|"
_RUNS_ON += r"up|daemon|listen|tui|repl)"
_SERVERS = _words(
    "nodemon uvicorn gunicorn hypercorn daphne live-server http-server http.server json-server serve ngrok caddy "
    "nginx puma air "
    "watchexec entr jupyter tensorboard streamlit redis-server mongod code cursor open xdg-open vim nvim nano less "
    "more top "
    "htop watch tmux screen telnet ssh electron storybook expo ts-node-dev jshell ipython flower celery"
)
_AGENTS = _words("claude gemini codex opencode aider cursor-agent copilot")
_LONG = pattern(
    rf"(?:npm|pnpm|yarn|bun|deno)\s+{_OPTIONS}(?:(?:run|run-script|task)\s+)?(?:\S+:)?{_RUNS_ON}(?:[:_.-]\S*)?(?:\s|$)|"
    r"(?:next|vite|astro|nuxt|ng|hugo|jekyll|mkdocs|wrangler|vercel|netlify|gatsby|remix|tauri|turbo|rails|flask|"
    r"supabase|firebase|"
    r"react-native|cap|ionic|php|dagster|prefect|airflow|mix|make|just|task|gradle|gradlew|nx)\b"
    rf"(?:\s\S+)*?\s(?:\S*[:_-])?(?:{_RUNS_ON}|s|run|console|runserver|run-\w+|bootRun|phx\.server|emulators:start|"
    rf"-S)(?:\s|$)|"
    r"vite$|(?:docker[ -]compose|podman-compose)\s(?:\S+\s)*?(?:up|logs|start|stop|restart|down|attach)\b|"
    r"docker (?:run|logs|start)\b|"
    r"kubectl (?:port-forward|exec|attach|proxy)\b|(?:dotnet|swift|flutter|gradle|gradlew|mvn|mvnw|stack|"
    r"cabal)\s+(?:\S+\s)*?"
    r"(?:run|watch|spring-boot:run|bootRun|exec:java)\b|tail\s.*-[fF]\b|(?:python3?\s+)?\S*manage\.py (?:runserver|"
    r"shell)|bin/dev\b|cargo watch\b"
)
# A program of the project that is started: it ends by itself where it is asked for something that ends.
_PROGRAM = pattern(
    r"(?:(?:python3?|node|tsx|ts-node|bun(?: run)?|deno run|ruby|php|java -jar)\s+(?:-\S+\s+)*\S*?"
    r"(?:main|app|server|index|run|bot|gui|game|worker|daemon|wsgi|asgi|bootstrap|__main__)\.\w+|"
    r"cargo run|go run|zig build run|lua|love)\b"
)
_ENDS = pattern(r"\s(?:--help|-h|--version|-V|--dry-run|--once|--check|--validate|--list|--self-test|--selftest)\b")
_ALONE_INTERACTIVE = pattern(
    r"(?:python3?|node|irb|ruby|php|psql|mysql|sqlite3|redis-cli|mongosh|bash|sh|zsh|iex|ghci|deno|bun)$"
)
_PLACEHOLDERS = pattern(
    r"<[A-Za-z][^<>=|&;]*>|…|"
    r"(?<![$\w\"'{])(?<!import )\{[A-Za-z][\w -]*\}(?!\s*=)|"  # `const {a} = …` and `import {a}` are none
    r"(?:^|[\s=/])(?:path/to|your[_-])|\bYOUR_|\bXXX+\b|"
    r"(?<=\s)\[(?:[a-z]+[ _-]?)+\](?=\s|$)|\$ARGUMENTS",
)
_SLASH = pattern(r"/[a-z][\w:.-]*(?:\s|$)")
_CHANGES = pattern(
    r"(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|pdm|cargo|go|gem|brew|apt|apt-get|dnf|pacman|conda|mamba|pipx|composer|"
    r"dotnet|rustup|mise|asdf|"
    r"choco|winget|snap|port|nuget|cpanm|luarocks|cabal|stack|mix|flutter|dart|pod|bundle|deno)\s+(?:\S+\s+)?"
    r"(?:install|i|add|ci|remove|uninstall|update|upgrade|publish|link|get|sync|init|create|new|lock|deps\.get)\b|"
    r"git\s+(?:\S+\s+)?(?:add|commit|push|pull|fetch|checkout|switch|merge|rebase|stash|tag|reset|restore|clean|clone|"
    r"branch|mv|rm|apply|"
    r"worktree|cherry-pick|revert)\b|gh\s+(?:pr|release|workflow|issue|repo)\s+(?:create|merge|run|edit|close|"
    r"delete)\b|"
    r"(?:terraform|tofu|pulumi|kubectl|helm|ansible-playbook|cdk|sam|serverless|sls|fly|flyctl|heroku|"
    r"railway)\s+(?:\S+\s+)?"
    r"(?:apply|destroy|up|deploy|install|upgrade|delete|create|rollout|scale|patch|release)\b|"
    r"(?:alembic|prisma|drizzle-kit|knex|sequelize|typeorm|diesel|sqlx|flyway|rails|rake|artisan|supabase|dbmate|"
    r"goose|(?:python3?\s+)?\S*manage\.py)\s+"
    r"(?:\S+\s+)?\S*(?:migrat|upgrade|downgrade|push|generate|reset|seed|revision|db:)|"
    r"(?:npm|pnpm|yarn|bun|make|just|task)\s+(?:run\s+)?\S*(?:deploy|publish|release|migrat\w*|seed|codegen|generate|"
    r"setup|bootstrap|clean|fix)(?:[\s:_-]|$)|"
    r"(?:mkdir|rm|mv|cp|touch|chmod|chown|ln|sudo|kill|pkill|killall|sleep|export|source|set|unset|alias|"
    r"docker (?:push|pull|rm|rmi|stop|kill|tag|"
    r"login|volume|network|system)|scp|rsync|systemctl|launchctl|crontab|createdb|dropdb|wait|trap|exit)\b"
)
_SHOW = pattern(
    r"(?:cat|head|tail|ls|find|wc|jq|yq|sed|awk|sort|uniq|tee|tree|stat|du|df|ps|lsof|netstat|which|whereis|printenv|"
    r"date|pwd|whoami|"
    r"uname|echo|printf|curl(?! (?:\S+ )*(?:-\w*f\w*|--fail)\b)|wget|http|journalctl|docker (?:ps|images|logs|"
    r"inspect)|kubectl|"
    r"psql|mysql|sqlite3|redis-cli|mongosh|aws|gcloud|az|gh|history|man|open|"
    r"git (?:-C \S+ )?(?:status|log|show|diff(?! (?:\S+ )*--(?:check|exit-code|quiet))|ls-files|branch|blame|remote|"
    r"rev-parse|grep))(?:\s|$)|"
    r"(?:grep|egrep|fgrep|rg|ag|ack)\b(?! (?:\S+ )*-\w*q)"
)
_SHORTENED = pattern(r"\s*(?:2>&1\s*)?\|\s*(?:tail|head)(?:\s+-\S+|\s+\d+)*\s*$")
_SWALLOWS = pattern(
    r"\|\|\s*(?:true|:|echo\b.*|exit 0)\s*$|;\s*(?:true|:|echo\b[^;|&]*|exit 0)\s*$|\|\s*(?:tee|cat|wc|sort|less|more|"
    r"grep(?! -\w*q)\b)[^|]*$"
)
_OUTSIDE = pattern(r"(?:^|[;&|(]\s*)cd\s+(?:[\"']?(?:/|~|\$HOME|[A-Z]:\\))")


def without_shortening(command: str) -> str:
    """The command without what only shortens its output, and would hide how it ends: `npm test 2>&1 | tail -20`."""
    return _SHORTENED.sub("", command)


def judges(command: str) -> bool:
    """Whether the end of a command line is that of a program which tests, builds, lints or compares the work."""
    parts = [part for part in _JOINT.split(as_seen(command).strip("() ")) if part.strip()]
    parts = [part for part in parts if not re.match(r"(?:cd|pushd|export|source|\.|set|echo)(?:\s|$)", part)]
    return bool(parts) and _judges_alone(parts[-1])


def _judges_alone(part: str) -> bool:
    program, rest = _program_of(part)
    name = program.rpartition("/")[2]
    if name in _ALONE and (name != "make" or not rest):
        return True
    if "/" in program and _SCRIPT.match(name):
        return True
    wanted = _BY_PROGRAM.get(name)
    return wanted is not None and re.match(wanted, rest) is not None


def _program_of(part: str) -> tuple[str, str]:
    """The program of a command line and what stands behind it, without variables and what only starts it."""
    line = part.strip()
    while True:
        shorter = _WRAPPERS.sub("", _ASSIGNMENTS.sub("", line, count=1), count=1) if _starts(line) else line
        if shorter == line:
            program, _, rest = line.partition(" ")
            return program, rest.strip()
        line = shorter


def _starts(line: str) -> bool:
    return _ASSIGNMENTS.match(line) is not None or _WRAPPERS.match(line) is not None


def why_never(command: str) -> str:
    """Why a command is never run as a check, whatever the words around it say; "" where it may be."""
    line = as_seen(command).strip()
    if _SLASH.match(line) and "/" not in line[1:].partition(" ")[0]:
        return OF_AGENT
    is_pattern = re.search(r"\b(?:go|bazel|buck2|golangci-lint|staticcheck)\b", line) is not None
    if _PLACEHOLDERS.search(line) or ("..." in line and not is_pattern):
        return PLACEHOLDER
    if _OUTSIDE.search(line):
        return ELSEWHERE
    if _SWALLOWS.search(line):
        return SWALLOWED
    parts = [part for part in _JOINT.split(line.strip("() ")) if part.strip()]
    reasons = [reason for part in parts if (reason := _why_never_alone(part))]
    return reasons[0] if reasons else ""


def _why_never_alone(part: str) -> str:
    program, rest = _program_of(part)
    line = f"{program.rpartition('/')[2] if program.startswith(('.', '/')) else program} {rest}".strip()
    name = line.partition(" ")[0]
    if name in _AGENTS:
        return OF_AGENT
    if _ENDS.search(line):
        return ""
    is_long = name in _SERVERS or _LONG.match(line) or _LONG.match(part) or _ALONE_INTERACTIVE.match(line)
    if is_long or _WATCHES.search(part):
        return NEVER_ENDS
    if _PROGRAM.match(line) and not judges(part):
        return NEVER_ENDS
    if name in ("cd", "export", "source", ".", "set", "pushd", "echo", "sleep") or judges(part):
        return ""
    return PREPARES if _CHANGES.match(line) or _CHANGES.match(part) else ""


def shows_only(command: str) -> bool:
    """Whether a command shows something and succeeds whatever that is, so that a person has to look at it."""
    parts = [part for part in _JOINT.split(as_seen(command).strip("() ")) if part.strip()]
    program, rest = _program_of(parts[-1]) if parts else ("", "")
    return not command.lstrip().startswith("! ") and _SHOW.match(f"{program} {rest}".strip() + " ") is not None
