"""Which places does every policy speak of? Tables: what toolchains read in a home folder, what holds keys and logins,
where sockets are, and the variables that lead there.
"""

# Below the home folder: programs, packages and caches, readable; and the settings without which git and the package
# managers answer otherwise. Nothing with a password in it.
CACHES = (
    *(".cargo", ".rustup", ".pyenv", ".rbenv", ".nodenv", ".goenv", ".jenv", ".asdf", ".nvm", ".fnm", ".volta"),
    *(".sdkman", ".ghcup", ".opam", ".juliaup", ".julia", ".nix-profile", ".nix-defexpr", ".bun", ".deno", ".dotnet"),
    *("go", "sdk", ".gem", ".mix", ".hex", ".cabal", ".stack", ".nuget/packages", ".m2", ".ivy2", ".sbt", ".conan2"),
    *(".npm/_cacache", ".yarn", ".pnpm-store", ".node_modules", ".virtualenvs", ".composer/vendor", ".bundle/cache"),
    *("miniconda3", "anaconda3", "miniforge3", "mambaforge", ".conda", "bin", ".local/bin", ".local/lib"),
    *(f".local/share/{name}" for name in ("uv", "mise", "pipx", "fnm", "pnpm", "gem", "virtualenvs", "virtualenv")),
    *(f".local/share/{name}" for name in ("hatch", "pdm", "pypoetry", "coursier", "rtx", "zig")),
    *(f".cache/{name}" for name in ("pip", "uv", "pypoetry", "pdm", "yarn", "pnpm", "node", "composer", "coursier")),
    *(f".cache/{name}" for name in ("ms-playwright", "puppeteer", "Cypress", "pre-commit", "deno", "zig")),
    *(f".config/{name}" for name in ("git", "pip", "uv", "go", "mise", "ruff", "black", "mypy", "flake8", "pylintrc")),
    *(".gitconfig", ".pip/pip.conf", ".tool-versions", ".asdfrc", ".python-version", ".node-version", ".condarc"),
    *("Library/Caches/pip", "Library/Caches/uv", "Library/Caches/Yarn", "Library/Caches/ms-playwright"),
)
# Of those, where package managers put what they fetch: an agent that adds a package begins with empty ones.
STORES = (
    *(".npm/_cacache", ".pnpm-store", ".cargo/registry", ".cargo/git", "go/pkg", ".m2/repository", ".nuget/packages"),
    *(f".cache/{name}" for name in ("pip", "uv", "pypoetry", "pdm", "yarn", "pnpm", "composer", "coursier", "deno")),
    *(".ivy2", ".gem", ".hex", ".local/share/pnpm/store"),
)
# Below the home folder, and hidden even where the folder around them is readable.
SECRETS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/containers", ".terraform.d"),
    *(".netrc", ".git-credentials", ".config/git/credentials", ".npmrc", ".pypirc", ".vault-token", ".pgpass"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings-security.xml"),
    *(".config/gh", ".config/glab-cli", ".config/hub", ".config/op", ".config/sops", ".password-store"),
    *(".local/share/keyrings", "Library/Keychains", ".bash_history", ".zsh_history", ".python_history"),
    *(".claude", ".claude.json", ".codex", ".gemini", ".config/opencode", ".local/share/opencode", ".cursor"),
    *(".config/planrail", ".mozilla", ".config/google-chrome", ".config/chromium", ".thunderbird"),
)
# Folders in which every program of the home folder has something: one program's bin in there says nothing of the rest.
BESIDE_TOOLS = (".local", ".local/share", ".local/lib", ".config", ".cache")
TOOL_FOLDERS = (
    *("CARGO_HOME", "RUSTUP_HOME", "GOROOT", "GOPATH", "GOMODCACHE", "JAVA_HOME", "MAVEN_HOME", "M2_HOME"),
    *("ANDROID_HOME", "ANDROID_SDK_ROOT", "DOTNET_ROOT", "NVM_DIR", "VOLTA_HOME", "FNM_DIR", "PNPM_HOME"),
    *("BUN_INSTALL", "DENO_DIR", "PYENV_ROOT", "RBENV_ROOT", "GEM_HOME", "GEM_PATH", "BUNDLE_PATH", "ASDF_DIR"),
    *("ASDF_DATA_DIR", "MISE_DATA_DIR", "SDKMAN_DIR", "UV_CACHE_DIR", "UV_PYTHON_INSTALL_DIR", "PIP_CACHE_DIR"),
    *("npm_config_cache", "PLAYWRIGHT_BROWSERS_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH"),
)
# Sockets of programs that act for the user.
SOCKETS = (
    *("/run/user", "/run/dbus", "/run/docker.sock", "/run/docker", "/run/podman", "/run/containerd", "/run/crio"),
    *("/run/systemd/private", "/run/tmux", "/run/screen", "/run/screens", "/run/libvirt", "/run/snapd.socket"),
    *("/run/snapd-snap.socket", "/var/run/docker.sock"),
)
# Variables that lead to them, or to keys; each stands for all names that begin so.
VARIABLES = (
    *("SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "GIT_ASKPASS", "GPG_", "DBUS_", "TMUX", "STY", "DOCKER_"),
    *("CONTAINER_HOST", "KUBECONFIG", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "VSCODE_IPC_"),
    *("AWS_", "AZURE_", "GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_", "VAULT_", "PLANRAIL_"),
)
SHARED_PLACES = ("/tmp", "/var/tmp")
# Without a network nothing is to be reached through the sockets of services either; but for what programs need of it.
RUNNING = "/run"
OF_SYSTEMS = ("/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/systemd/resolve")
OWN_PLACES = ("/", "/proc", "/dev", "/sys")  # each backend has its own way with these
# No policy empties these because a workspace lies below them.
SYSTEM = (
    *("/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/media", "/mnt", "/nix", "/opt", "/proc"),
    *("/run", "/sbin", "/srv", "/sys", "/usr", "/usr/local", "/var", "/var/lib", "/Users", "/private", "/private/var"),
)
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts")
