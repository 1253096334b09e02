"""What outside of a workspace runs things, and was it changed while an agent worked? The table as data, and the words.

Each row: what runs it, and the places, below a folder that the environment may move. `*` stands for any part of the
last name, a `/` at the end for all files below. Pure.
"""

from planrail.runs.model import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

KIND = "outside_changed"
HOME, CONFIG, DATA, ZSH, CLAUDE, CODEX, SYSTEM = "", ".config", ".local/share", "zsh", ".claude", ".codex", "/"
# The variable that moves a folder; without it, it lies in the home folder.
MOVED = {CONFIG: "XDG_CONFIG_HOME", DATA: "XDG_DATA_HOME", ZSH: "ZDOTDIR", CLAUDE: "CLAUDE_CONFIG_DIR"}
MOVED |= {CODEX: "CODEX_HOME"}

OUTSIDE: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "a shell runs it when it starts or ends",
        HOME,
        (
            *(".profile", ".bash_profile", ".bash_login", ".bash_logout", ".bashrc", ".bash_aliases", ".bashrc.d/"),
            *(".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".pam_environment"),
            *(".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".oh-my-zsh/custom/"),
        ),
    ),
    ("a shell runs it when it starts or ends", ZSH, (".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout")),
    (
        "a shell runs it when it starts or ends",
        CONFIG,
        ("fish/config.fish", "fish/conf.d/", "fish/functions/", "nushell/*.nu", "environment.d/", "powershell/*.ps1"),
    ),
    ("ssh lets people in by it, or obeys it", HOME, (".ssh/authorized_keys*", ".ssh/config*", ".ssh/rc")),
    ("ssh lets people in by it, or obeys it", HOME, (".ssh/environment", ".ssh/id_*", ".ssh/allowed_signers")),
    ("git obeys it", HOME, (".gitconfig",)),
    ("git obeys it", CONFIG, ("git/config", "git/attributes", "git/hooks/")),
    ("git obeys it", SYSTEM, ("etc/gitconfig",)),
    (
        "a shell runs it when it starts or ends",
        SYSTEM,
        ("etc/profile", "etc/profile.d/", "etc/bash.bashrc", "etc/zsh/"),
    ),
    ("the system starts it by itself", SYSTEM, ("etc/crontab", "etc/cron.d/", "etc/ld.so.preload", "etc/rc.local")),
    ("the system starts it by itself", SYSTEM, ("Library/LaunchAgents/", "Library/LaunchDaemons/")),
    (
        "Claude Code runs its hooks or obeys it",
        CLAUDE,
        ("settings*.json", "CLAUDE.md", "hooks/", "commands/", "agents/", "skills/", "rules/", "output-styles/"),
    ),
    ("Codex runs its hooks or obeys it", CODEX, ("config*.toml", "hooks.json", "AGENTS*.md", "prompts/", "rules/")),
    ("Codex runs its hooks or obeys it", CODEX, ("skills/",)),
    ("Gemini CLI obeys it", HOME, (".gemini/settings.json", ".gemini/GEMINI.md", ".gemini/commands/")),
    ("opencode loads or obeys it", CONFIG, ("opencode/opencode.json*", "opencode/AGENTS.md", "opencode/plugin/")),
    ("opencode loads or obeys it", CONFIG, ("opencode/command/", "opencode/agent/", "opencode/plugins/")),
    ("Cursor runs its hooks or obeys it", HOME, (".cursor/mcp.json", ".cursor/hooks.json", ".cursor/rules/")),
    ("planrail obeys it", CONFIG, ("planrail/planrail.toml",)),
    ("the system starts it by itself", CONFIG, ("systemd/user/", "autostart/", "plasma-workspace/env/")),
    ("the system starts it by itself", DATA, ("systemd/user/",)),
    ("the system starts it by itself", HOME, ("Library/LaunchAgents/",)),
    (
        "the program of that name runs it when it starts",
        HOME,
        (
            *(".vimrc", ".vim/plugin/", ".exrc", ".emacs", ".emacs.d/init.el", ".tmux.conf", ".screenrc", ".gdbinit"),
            *(".lldbinit", ".psqlrc", ".sqliterc", ".irbrc", ".pryrc", ".Rprofile", ".direnvrc", ".pythonrc"),
        ),
    ),
    (
        "the program of that name runs it when it starts",
        CONFIG,
        (
            *("nvim/init.lua", "nvim/init.vim", "nvim/plugin/", "emacs/init.el", "tmux/tmux.conf", "direnv/direnvrc"),
            *("direnv/direnv.toml", "mise/config.toml", "mise/conf.d/", "Code/User/settings.json"),
            *("Code/User/tasks.json", "Code/User/mcp.json"),
        ),
    ),
)
# A file in which only one part runs things: the rest of it changes with each use.
PARTS = {".claude.json": "mcpServers"}


def judge_outside(before: "Mapping[str, str]", now: "Mapping[str, str]", what: "Mapping[str, str]") -> list[Finding]:
    """What was changed, by its path: never what is in it. `what` says what runs it."""
    changed = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    return [
        Finding(
            KIND,
            f"{name} ({become(before.get(name), now.get(name))}; {what.get(name, 'git runs it, or obeys it')})",
            name,
        )
        for name in changed
    ]


def tell(found: list[Finding]) -> str:
    """What a person is told, who decides."""
    listed = ", ".join(finding.text for finding in found)
    return (
        f"changed outside of the workspace while the phase was worked on: {listed}; nothing of it was undone, and "
        "nothing has landed. Look at it, and put back what is not yours; to go on says that it may stay as it is"
    )


def become(before: str | None, after: str | None) -> str:
    """In one word, what became of something that has a digest where it is there."""
    return "gone" if not after else "changed" if before else "new"


def describe_settings(text: str) -> str:
    """The lines of a file of git's settings, but for what git itself notes about branches whenever one is pushed."""
    kept, is_of_branch = [], False
    for line in text.split("\n"):
        plain = line.strip()
        if plain.startswith("["):
            is_of_branch = plain.startswith('[branch "') and plain.endswith('"]') and plain.count("[") == 1
        key = plain.partition("=")[0].strip().lower()
        is_note = is_of_branch and not plain.endswith("\\") and (plain.startswith("[") or key in _OF_BRANCHES)
        if plain and not is_note:
            kept.append(plain)
    return "\n".join(kept)


_OF_BRANCHES = ("remote", "merge", "rebase", "pushremote", "description", "vscode-merge-base", "gh-merge-base")
