"""The names of all files, arranged so that a citation is found in one look, and what comes closest to it if not."""

import re
from collections.abc import Iterable, Sequence
from heapq import nlargest
from itertools import pairwise

from planrail.base.records import record


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Endings that make a word with a dot in it a file name. Not here: endings that are words of code (log, name, id, env).
EXTENSIONS = _words(
    "py pyi ipynb js jsx mjs cjs ts tsx mts cts vue svelte astro go rs rb php java kt kts scala groovy gradle clj cljs "
    "cljc ex exs erl hs ml mli fs fsx fsproj cs csproj sln vb xaml razor cshtml swift mm c h cc cpp cxx hpp hh hxx zig "
    "nim d lua vim el lisp jl r dart sol lean v vhd sv pas dpr dfm sh bash zsh fish ps1 bat cmd awk pl pm tcl sql "
    "prisma graphql gql proto thrift avsc md mdx markdown rst adoc txt tex bib typ org html htm xhtml css scss sass "
    "less styl ejs hbs pug jinja j2 tmpl template xml xsd xsl json json5 jsonc jsonl ndjson yaml yml toml ini cfg conf "
    "properties csv tsv plist tf tfvars hcl nix bazel bzl cmake mk dockerfile lock mod sum rules service timer example "
    "sample feature snap storyboard xib pbxproj entitlements xcconfig gemspec podspec cabal rockspec svg"
)
PLAIN_FILES = _words(
    "Makefile makefile GNUmakefile Dockerfile Containerfile Justfile justfile Procfile Gemfile Rakefile Podfile "
    "Brewfile Vagrantfile Jenkinsfile Caddyfile Tiltfile CODEOWNERS LICENSE LICENCE NOTICE CHANGELOG README "
    "CONTRIBUTING AUTHORS .gitignore .gitattributes .gitmodules .editorconfig .dockerignore .npmrc .nvmrc "
    ".prettierrc .eslintrc .babelrc .prettierignore .eslintignore .flake8 .pylintrc .coveragerc .python-version "
    ".tool-versions .mailmap .npmignore"
)
# Folders and files that a repository does not hold, although plans speak of them.
GENERATED = _words(
    "node_modules dist build out target coverage htmlcov .next .nuxt .output .turbo .cache __pycache__ .venv venv "
    "env .git .idea .vscode .pytest_cache .mypy_cache .ruff_cache .tox .nox .gradle .terraform .DS_Store tmp temp "
    "log logs var obj bin DerivedData Pods vendor .secrets secrets playwright-report test-results .svelte-kit "
    ".vercel .parcel-cache"
)
# Libraries that are written like files.
LIBRARY_NAMES = _words(
    "node.js next.js vue.js nuxt.js express.js react.js three.js d3.js chart.js discord.js ember.js backbone.js "
    "moment.js day.js p5.js alpine.js solid.js nest.js knex.js passport.js socket.io response.json request.json "
    "res.json req.json r.json resp.json self.json data.json package.lock this.md asp.net"
)
# Names of products, formats and platforms that look like classes.
PROPER_NAMES = _words(
    "GitHub GitLab JavaScript TypeScript PostgreSQL MySQL SQLite MongoDB OpenAPI OpenAI WebSocket WebSockets GraphQL "
    "LaTeX YouTube LinkedIn CoffeeScript PowerShell VSCode NodeJS NextJS ReactJS VueJS NumPy SciPy PyTorch "
    "TensorFlow FastAPI SQLAlchemy PyPI DevOps LocalStorage SessionStorage IndexedDB WebAssembly WebGL WebRTC OAuth "
    "OAuth2 DynamoDB CloudFront CloudFlare CircleCI TravisCI SonarCloud SonarQube JetBrains IntelliJ WebStorm "
    "PyCharm AppStore TestFlight ChatGPT DeepSeek HuggingFace LangChain CamelCase PascalCase ReadMe ToDo ProseMirror "
    "CodeMirror TailwindCSS NuGet DocString BitBucket RabbitMQ ElasticSearch OpenSearch InfluxDB ClickHouse BigQuery "
    "SwiftUI UIKit AppKit AppleScript AskUserQuestion TodoWrite TaskCreate TaskUpdate WebFetch WebSearch "
    "NotebookEdit ExitPlanMode EnterPlanMode BashOutput PreToolUse PostToolUse SessionStart SessionEnd "
    "UserPromptSubmit SubagentStop PreCompact KillShell MultiEdit ListAgents SendMessage ToolSearch"
)
# Names that many folders have: finding one elsewhere says nothing.
COMMON_NAMES = _words(
    "readme index __init__ __main__ main mod lib package config settings types type utils util helpers helper common "
    "skill page route layout conftest makefile dockerfile claude agents changelog setup style styles app constants "
    "models model schema routes server client test tests spec plan tasks design proposal research manifest license"
)


_CLOSE = 0.72  # the similarity of two names from which one is worth suggesting for the other
_MAX_SEARCHES = 500  # a document with more unknown names was not written for this repository
_MAX_COMPARED = 40  # names that are compared letter by letter, the likeliest first


class Names:
    """Names, each with its letter pairs as bits: two that share few cannot be alike, and are not compared."""

    def __init__(self, names: Iterable[str]) -> None:
        self._masks = [(name, _pairs(name), len(name)) for name in names]
        self._found: dict[str, str] = {}

    def closest(self, name: str) -> str:
        if name not in self._found:
            if len(self._found) >= _MAX_SEARCHES:
                return ""
            self._found[name] = self._search(name)
        return self._found[name]

    def _search(self, name: str) -> str:
        if len(self._masks) <= _MAX_COMPARED:
            return _most_alike(name, [other for other, _, _ in self._masks])
        mask, length = _pairs(name), len(name)
        enough = mask.bit_count() / 2
        likely: list[tuple[int, str]] = []
        for other, other_mask, other_length in self._masks:
            shared = (mask & other_mask).bit_count()
            if shared >= enough and abs(length - other_length) * 3 <= length:
                likely.append((shared * 2 - other_length, other))
        return _most_alike(name, [other for _, other in nlargest(_MAX_COMPARED, likely)])


def _most_alike(name: str, others: list[str]) -> str:
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, "", name.lower(), autojunk=False)
    best, score = "", _CLOSE
    for other in others:
        matcher.set_seq1(other.lower())
        if matcher.quick_ratio() > score and (ratio := matcher.ratio()) > score:
            best, score = other, ratio
    return best


def _pairs(name: str) -> int:
    mask = 0
    for first, second in pairwise(name.lower().encode("utf-8", "surrogatepass")):
        mask |= 1 << (first * 31 + second) % 127
    return mask


def is_slip_of(name: str, other: str) -> bool:
    """Whether two names differ as a slip of the fingers does: one letter more, less or other, or two exchanged.

    A digit more is the next of a series, an s more its plural: both are names of their own.
    """
    if re.sub(r"\d+", "", name) == re.sub(r"\d+", "", other) or name.rstrip("s") == other.rstrip("s"):
        return False
    if len(name) < 4 or abs(len(name) - len(other)) > 1:
        return False
    at = 0
    while at < min(len(name), len(other)) and name[at] == other[at]:
        at += 1
    rest, there = name[at:], other[at:]
    is_exchanged = rest[:2] == there[:2][::-1] and rest[2:] == there[2:]
    return is_exchanged or there == rest[1:] or rest == there[1:] or rest[1:] == there[1:]


class FileIndex:
    """Paths by their whole, by their folders and by their last part."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.files = frozenset(paths)
        self.names: dict[str, list[str]] = {}
        self.folders: set[str] = set()
        self.folder_names: dict[str, list[str]] = {}
        for path in paths:
            folder, _, name = path.rpartition("/")
            self.names.setdefault(name, []).append(path)
            while folder and folder not in self.folders:
                self.folders.add(folder)
                parent, _, name = folder.rpartition("/")
                self.folder_names.setdefault(name, []).append(folder)
                folder = parent
        self._stems: set[str] = set()
        self._by_ending: dict[str, Names] = {}

    def find(self, path: str, beside: str) -> list[str]:
        """The files and folders that a cited path may mean; `beside` is the folder of the plan that cites it.

        A path may be given from the root, from the plan's folder or from any folder between, and a module without
        its ending.
        """
        path = _normal(path, beside)
        if path in self.files or path in self.folders:
            return [path]
        name = path.rsplit("/", 1)[-1]
        ending = "/" + path
        found = [file for file in self.names.get(name, ()) if file.endswith(ending)]
        found += [folder for folder in self.folder_names.get(name, ()) if folder.endswith(ending)]
        first, _, rest = path.partition("/")
        is_shorter = "/" in rest and first not in self.folders and (rest in self.files or rest in self.folders)
        return found or ([rest] if is_shorter else [])

    def find_module(self, path: str) -> bool:
        """Whether a path without an ending names a module: `src/parser` for `src/parser.ts`."""
        if not self._stems:
            self._stems.update(file.split(".")[0] if file[0] != "." else file for file in self.files)
        return path in self._stems

    def is_generated(self, path: str) -> bool:
        """Whether a path lies in what a build or a machine leaves behind, and the repository does not hold."""
        parts = path.split("/")
        return any(part.startswith(".env") or (part in GENERATED and part not in self.folder_names) for part in parts)

    def matches(self, pattern: str) -> bool:
        """Whether there is a file for a glob: `**` crosses folders, `*` and `?` do not."""
        meanings = {r"\*\*/": "(?:.*/)?", r"\*\*": ".*", r"\*": "[^/]*", r"\?": "[^/]"}
        glob = re.sub(r"\\\*\\\*/|\\\*\\\*|\\\*|\\\?", lambda sign: meanings[sign[0]], re.escape(pattern.rstrip("/")))
        expression = re.compile(rf"(?:.*/)?{glob}(?:/.*)?\Z")
        return any(expression.match(path) for path in self.files)

    def closest(self, path: str) -> "Closest":
        """What comes closest to a path that is not there: the same name elsewhere, else one that is written alike."""
        folder, _, name = path.rpartition("/")
        same = self.names.get(name, []) + self.folder_names.get(name, [])
        if not same:
            return self._similar(path, name)
        best = max(same, key=lambda other: _shared_parts(other, path))
        is_alone = len(same) == 1 and name.lower().split(".")[0] not in COMMON_NAMES
        return Closest(best, is_typo=False, is_misplaced=is_alone and not self.find(folder, ""))

    def _similar(self, path: str, name: str) -> "Closest":
        stem, ending = _split_name(name)
        if ending not in self._by_ending:
            split = (_split_name(other) for other in self.names)
            self._by_ending[ending] = Names(one for one, last in split if last == ending)
        best = self._by_ending[ending].closest(stem)
        if not best:
            return Closest("", is_typo=False, is_misplaced=False)
        places = self.names[f"{best}.{ending}" if "." in name else best]
        nearest = max(places, key=lambda place: _shared_parts(place, path))
        is_beside = nearest.rpartition("/")[0].endswith(path.rpartition("/")[0])
        return Closest(nearest, is_typo=is_beside and is_slip_of(stem, best), is_misplaced=False)


@record
class Closest:
    """The nearest thing there is ("" for none), and whether it shows that the citation is a slip.

    `is_typo`: a name in the same folder that differs by a letter. `is_misplaced`: the only file of that name, while
    the folder that is cited does not exist.
    """

    path: str
    is_typo: bool
    is_misplaced: bool


def _split_name(name: str) -> tuple[str, str]:
    stem, dot, ending = name.rpartition(".")
    return (stem, ending) if dot else (name, "")


def _normal(path: str, beside: str) -> str:
    """A path without `.` and `..`, which count from the plan's folder."""
    if not path.startswith(("../", "./")) and "/../" not in path:
        return path
    parts = beside.split("/") if path.startswith("../") and beside else []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", ".."):
            parts.append(part)
    return "/".join(parts)


def _shared_parts(path: str, other: str) -> tuple[int, int]:
    return len(set(path.split("/")) & set(other.split("/"))), -len(path)
