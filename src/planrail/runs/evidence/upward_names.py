"""Which names do tools look for in every folder above the one they run in, as far as `/`? As data. Pure.

No such list is complete. It is for the folders that belong to others as well (a home folder, `/tmp`), where new files
are everyday; in the folders that planrail made for rooms alone, any name at all is seen.
"""

_NAMES = frozenset(
    (
        # packages, and the manifests that name what to run
        *("node_modules", "package.json", "pnpm-workspace.yaml", "lerna.json", "nx.json", "turbo.json", "rush.json"),
        *(".pnp.cjs", ".pnp.js", ".pnp.loader.mjs", "pyproject.toml", "setup.cfg", "setup.py", "pipfile", "uv.toml"),
        *("pdm.toml", "pixi.toml", "hatch.toml", "cargo.toml", "go.mod", "go.work", "pom.xml"),
        *("gemfile", "gems.rb", "composer.json", "mix.exs", "package.swift", "pubspec.yaml", "build.sbt", "build.xml"),
        *("stack.yaml", "dune-project", "dune-workspace", "deps.edn", "project.clj", "rebar.config", "shard.yml"),
        *("directory.build.props", "directory.build.targets", "directory.packages.props", "directory.build.rsp"),
        *("global.json", "nuget.config", "flake.nix", "devbox.json", "project.toml", "pants.toml"),
        *("workspace", "workspace.bazel", "module.bazel", "repo.bazel", ".bazelrc", ".buckconfig", ".buckroot"),
        # test runners
        *("conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", ".coveragerc"),
        *("bunfig.toml", "deno.json", "deno.jsonc", ".rspec", "phpunit.xml", "phpunit.xml.dist"),
        # recipes that are looked for upwards
        *("justfile", ".justfile", "rakefile", "rakefile.rb", "thorfile", "vagrantfile", "fastfile", "makefile.toml"),
        # linters, formatters, type checkers
        *("ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini", ".flake8", "pylintrc", ".pylintrc", ".isort.cfg"),
        *("pyrightconfig.json", ".editorconfig", ".clang-format", "_clang-format", ".clang-tidy", ".clangd"),
        *("compile_commands.json", "rustfmt.toml", ".rustfmt.toml", "clippy.toml", ".clippy.toml", "tslint.json"),
        *("jsconfig.json", "biome.json", "biome.jsonc", ".hadolint.yaml", ".shellcheckrc", "shellcheckrc", ".pep8"),
        *(".scalafmt.conf", ".scalafix.conf", ".ocamlformat", ".golangci.yml", ".golangci.yaml", ".golangci.toml"),
        # which version of a tool runs, with which variables
        *(".python-version", ".python-versions", ".node-version", ".nvmrc", ".ruby-version", ".java-version"),
        *(".go-version", ".php-version", ".terraform-version", ".swift-version", ".sdkmanrc", ".tool-versions"),
        *("rust-toolchain", "rust-toolchain.toml", ".envrc", ".npmrc", "pyvenv.cfg", ".git", ".hg", ".svn", ".jj"),
        *(".dir-locals.el", ".lvimrc", ".exrc", ".gdbinit", ".lldbinit"),
    )
)
# A name that begins so: the rest says the kind of file.
_BEGINNINGS = (
    *("tsconfig.", ".eslintrc", "eslint.config.", ".babelrc", "babel.config.", "jest.config.", "vitest.config."),
    *("vite.config.", "vitest.workspace.", ".mocharc", ".nycrc", "ava.config.", "karma.conf.", "playwright.config."),
    *(".prettierrc", "prettier.config.", ".stylelintrc", "stylelint.config.", ".postcssrc", "postcss.config."),
    *(".browserslistrc", "tailwind.config.", ".swcrc", ".yarnrc", "settings.gradle", "build.gradle"),
    *("gradle.properties", ".rubocop", ".standard.yml", ".swiftlint", "mise.", ".mise.", ".env", "taskfile."),
    *(".lintstagedrc", "lint-staged.config.", ".commitlintrc", "commitlint.config.", ".huskyrc", "ct.config."),
)
# Folders of which tools read a few files: much else in them changes every day.
INSIDE = {
    ".cargo": ("config", "config.toml"),
    ".config": ("dotnet-tools.json", "mise.toml", "mise/config.toml", "nextest.toml"),
    ".mvn": ("maven.config", "extensions.xml", "jvm.config", "settings.xml"),
    ".mise": ("config.toml",),
    ".yarn": ("plugins", "releases"),
}
_CUSTOM = "customize.py"  # sitecustomize.py, usercustomize.py


def is_read_upwards(name: str) -> bool:
    """Whether a tool that runs further below looks for an entry of this name; letter case is no difference."""
    low = name.lower()
    return low in _NAMES or low.startswith(_BEGINNINGS) or low.endswith(_CUSTOM)
