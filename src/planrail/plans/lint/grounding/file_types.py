"""What file names look like. Data only."""


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
