"""Which files of a project run things without being asked, and what runs them? As data.

When a folder is opened or entered, when an agent, a shell, an interpreter or a debugger starts there, when packages are
installed or a build begins, when git commits, or on a server. What a person runs by name, or what runs because the
project is built or tested (`Makefile`, `build.rs`, `setup.py`, `conftest.py`), is ordinary code.

A pattern fits at any depth; with `/` before it, at the top alone. A name that ends with `/` is a folder with all that
is in it, `*` stands for any part of a name. Letter case is no difference.
"""

# What runs a file, and the patterns of its names.
RUNNING = (
    ("it says how planrail checks work", "planrail.toml"),
    # coding agents: instructions, hooks, servers of tools
    ("Claude Code runs its hooks and obeys its settings", ".claude/ .claude-plugin/"),
    ("coding agents start the programs it names", ".mcp.json mcp.json"),
    ("Codex runs its hooks and obeys its settings", ".codex/"),
    ("Gemini CLI obeys its settings", ".gemini/"),
    ("opencode loads its plugins and obeys its settings", ".opencode/ opencode.json*"),
    ("Cursor runs its hooks and obeys its rules", ".cursor/ .cursorrules"),
    (
        "coding agents obey it",
        "AGENTS.md AGENTS.*.md CLAUDE.md CLAUDE.*.md GEMINI.md QWEN.md WARP.md CRUSH.md AGENT.md .openhands/ .roomodes "
        ".rules .windsurfrules .windsurf/ .goosehints .goose/ .clinerules/ .cline/ .roo/ .roorules* .kilocode/ "
        ".continue/ .junie/ .kiro/ .amazonq/ .augment/ .factory/ .trae/ .agents/ .agent/ .aider* .crush.json "
        "crush.json .amp/ .qwen/ .github/copilot-instructions.md .github/instructions/ .github/prompts/ "
        ".github/agents/ .github/chatmodes/ .github/skills/ .github/hooks/ .github/copilot/",
    ),
    # editors
    ("VS Code runs its tasks and obeys its settings", ".vscode/ *.code-workspace"),
    ("JetBrains programs run its configurations", ".idea/ .run/ .fleet/"),
    ("Zed runs its tasks", ".zed/"),
    ("Visual Studio obeys its settings", ".vs/"),
    ("Sublime Text runs its build systems", "*.sublime-project"),
    ("Eclipse runs it", ".externalToolBuilders/"),
    ("editors build and start it", ".devcontainer/ .devcontainer.json"),
    (
        "a server builds and starts it for everyone who opens the project",
        ".gitpod.* .gitpod/ .replit .idx/ .codesandbox/ .stackblitzrc .ona/",
    ),
    ("Vim runs it", ".vimrc .gvimrc .exrc .nvimrc .nvim.lua .nvim/ .lvimrc .vim/"),
    ("Emacs runs it", ".dir-locals*.el"),
    ("Helix starts the programs it names", ".helix/"),
    ("editors run the commands it names", "rust-analyzer.toml .rust-analyzer.toml"),
    # hooks of git, and what git itself obeys
    (
        "git runs it, or a manager of hooks does",
        ".husky/ .githooks/ .git-hooks/ .hooks/ githooks/ git-hooks/ .huskyrc* husky.config.* .pre-commit-config.y*ml "
        ".pre-commit-hooks.y*ml lefthook* .lefthook* .overcommit.yml captainhook.json prek.toml .simple-git-hooks.* "
        "simple-git-hooks.* .lintstagedrc* lint-staged.config.* pre-commit pre-push pre-rebase pre-receive pre-auto-gc "
        "pre-applypatch pre-merge-commit post-checkout post-commit post-merge post-rewrite post-receive post-update "
        "post-applypatch commit-msg prepare-commit-msg applypatch-msg reference-transaction fsmonitor-watchman "
        "push-to-checkout",
    ),
    ("git fetches and checks out what it names", ".gitmodules"),
    ("git runs filters and drivers by it", ".gitattributes"),
    ("git obeys it where settings include it", ".gitconfig"),
    ("git sends large files where it says", ".lfsconfig"),
    ("Mercurial, Jujutsu or Sapling runs its hooks and obeys its settings", ".hg/ .jj/ .sl/"),
    # environments, which a shell enters by itself
    ("direnv runs it on entering the folder", ".envrc"),
    ("programs load their variables from it", ".env .env*.local .env.dev* .env.prod* .env.test* .env.stag* .flaskenv"),
    (
        "mise or asdf runs it, or the tools it names, on entering the folder",
        "mise*.toml .mise*.toml .mise/ mise/config*.toml .config/mise/ .config/mise*.toml .tool-versions .prototools",
    ),
    ("autoenv runs it on entering the folder", ".autoenv*"),
    ("Nix builds and enters it", "shell.nix flake.nix default.nix devenv.nix devenv.yaml devbox.json devbox.d/"),
    ("Hermit runs it on entering the folder", "bin/hermit.hcl bin/activate-hermit"),
    # package managers
    ("npm and its kin obey it, or run it", ".npmrc .yarnrc* .yarn/ .pnpmfile.* pnpmfile.*"),
    ("node-gyp runs its commands when a package is installed", "binding.gyp"),
    ("Node loads it before the program", ".pnp.*"),
    ("npm runs its install scripts", "package.json"),
    ("Composer runs its install scripts", "composer.json"),
    ("uv fetches packages where it says", "uv.toml"),
    ("Bun loads what it names", "bunfig.toml"),
    ("Cargo runs the programs it names", ".cargo/config*"),
    ("rustup installs and starts the tools it names", "rust-toolchain rust-toolchain.toml"),
    ("Maven loads its extensions", ".mvn/"),
    ("Gradle's start script downloads and runs it", "gradle/wrapper/"),
    ("Gradle obeys it, or runs it, before every build", "gradle.properties init.gradle* init.d/*.gradle*"),
    ("MSBuild runs it in every build below", "Directory.Build.* Directory.Solution.*"),
    ("NuGet fetches packages where it says", "nuget.config"),
    ("sbt starts Java with it", ".sbtopts .jvmopts"),
    ("Bazel obeys it, or starts it", ".bazelrc .bazeliskrc tools/bazel"),
    ("Bundler obeys it", ".bundle/config"),
    (".NET installs the tools it names", ".config/dotnet-tools.json"),
    # what an interpreter or debugger runs when it starts
    ("every Python that finds it runs it", "sitecustomize.py usercustomize.py *.pth .pythonrc*"),
    (
        "the program of that name runs it when it starts",
        ".gdbinit .lldbinit .Rprofile .Renviron .irbrc .pryrc .pdbrc .octaverc .iex.exs .ghci .ocamlinit .erlang "
        ".RData .perldb jupyter_*config.* ipython_*config.* ansible.cfg",
    ),
    # servers that build, test and deploy
    (
        "a server runs it with the project's secrets",
        "/.github/workflows/ /.github/actions/ /.gitea/ /.forgejo/ /.gitlab-ci* /.gitlab/ci/ /.circleci/ /.travis.yml "
        "Jenkinsfile* /azure-pipelines* /.azure-pipelines/ /.azuredevops/ /.pipelines/ /bitbucket-pipelines.yml "
        "/.drone* /.woodpecker* /.woodpecker/ /.buildkite/ /appveyor.y*ml /.appveyor.y*ml /.cirrus* /.semaphore/ "
        "/.teamcity/ /.tekton/ /.harness/ /.builds/ /.build.yml /cloudbuild.y*ml /buildspec.y*ml /codemagic.yaml "
        "/wercker.yml /netlify.toml /vercel.json /action.y*ml /amplify.y*ml /Procfile* /fly.toml /render.y*ml "
        "/railway.* /nixpacks.toml /.readthedocs* /.jenkins/ /heroku.yml /bitrise.yml",
    ),
)
# In these a change counts where lines with one of the words differ, or the scripts of these names.
COUNTING = {
    ".gitattributes": "filter diff merge [attr]",
    "package.json": (
        "preinstall install postinstall preprepare prepare postprepare prepublish prepublishOnly prepack postpack "
        "dependencies"
    ),
    "composer.json": (
        "pre-install-cmd post-install-cmd pre-update-cmd post-update-cmd pre-autoload-dump post-autoload-dump "
        "post-root-package-install post-create-project-cmd pre-status-cmd post-status-cmd pre-archive-cmd "
        "post-archive-cmd pre-package-install post-package-install pre-package-update post-package-update "
        "pre-package-uninstall post-package-uninstall init pre-operations-exec command pre-command-run "
        "pre-file-download post-file-download pre-dependencies-solving post-dependencies-solving pre-pool-create"
    ),
}
