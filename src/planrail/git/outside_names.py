"""What outside of a workspace runs things, and was it changed while an agent worked? The table as data, and the words.

Each row: what runs it, and the places, below a folder that the environment may move. `*` stands for any part of a
name, a `/` at the end for all files below; behind a `#` are the keys of a JSON file that count, wherever they stand in
it, since the rest of it changes with each use; behind a `#!` those at its top that do not. Files that settings of git
or ssh name are followed. Pure.
"""

from planrail.base.run_model import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

KIND = "outside_changed"
HOME, CONFIG, DATA, ZSH, CLAUDE, CODEX, SYSTEM = "", ".config", ".local/share", "zsh", ".claude", ".codex", "/"
# The variable that moves a folder; without it, it lies in the home folder.
MOVED = {CONFIG: "XDG_CONFIG_HOME", DATA: "XDG_DATA_HOME", ZSH: "ZDOTDIR", CLAUDE: "CLAUDE_CONFIG_DIR"}
MOVED |= {CODEX: "CODEX_HOME"}

# Names are parted by blanks, keys by commas. Of Codex not `projects`: it notes there, at each start, that it works in a
# run's own workspace; nor the skills in `.system`, which it writes itself at each start. opencode adds `$schema`, for
# editors, to settings that have none.
_TABLE = (
    ("a shell runs it when it starts or ends", HOME, ".profile .bash_profile .bash_login .bash_logout .bashrc"
     " .bash_aliases .bashrc.d/ .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .pam_environment .xprofile"
     " .xinitrc .xsession .xsessionrc .oh-my-zsh/custom/ .oh-my-zsh/oh-my-zsh.sh .cargo/env .nvm/nvm.sh"
     " .nvm/bash_completion .sdkman/bin/sdkman-init.sh .rvm/scripts/rvm .asdf/asdf.sh .fzf.bash .fzf.zsh .deno/env"
     " .bun/_bun .ghcup/env .opam/opam-init/ .p10k.zsh .iterm2_shell_integration.* .bash_functions .aliases"
     " .bash_completion .xonshrc"),
    ("a shell runs it when it starts or ends", ZSH, ".zshrc .zshenv .zprofile .zlogin .zlogout"),
    ("a shell runs it when it starts or ends", CONFIG, "fish/config.fish fish/conf.d/ fish/functions/ nushell/*.nu"
     " environment.d/ powershell/*.ps1 xonsh/ bash_completion"),
    ("a shell runs it when it starts or ends", DATA, "fish/vendor_conf.d/ bash-completion/completions/"),
    ("ssh lets people in by it, or obeys it", HOME, ".ssh/authorized_keys* .ssh/config* .ssh/rc .ssh/environment"
     " .ssh/id_* .ssh/allowed_signers .ssh/config.d/ .ssh/conf.d/"),
    ("git obeys it", HOME, ".gitconfig"),
    ("git obeys it", CONFIG, "git/config* git/attributes git/ignore git/hooks/ git/template/"),
    ("git obeys it", SYSTEM, "etc/gitconfig"),
    ("a shell runs it when it starts or ends", SYSTEM, "etc/profile etc/profile.d/ etc/bash.bashrc etc/zsh/"),
    ("the system starts it by itself", SYSTEM, "etc/crontab etc/cron.d/ etc/ld.so.preload etc/rc.local"
     " Library/LaunchAgents/ Library/LaunchDaemons/"),
    ("Claude Code runs its hooks or obeys it", CLAUDE, "settings*.json CLAUDE.md hooks/ commands/ agents/ skills/"
     " rules/ output-styles/ plugins/installed_plugins.json#installPath,version"
     " plugins/known_marketplaces.json#source plugins/cache/*/*/*/hooks/ plugins/cache/*/*/*/.mcp.json"
     " plugins/cache/*/*/*/.claude-plugin/ plugins/cache/*/*/*/skills/ plugins/cache/*/*/*/agents/"
     " plugins/cache/*/*/*/commands/ plugins/marketplaces/*/.claude-plugin/ plugins/marketplaces/*/hooks/"
     " plugins/marketplaces/*/plugins/*/hooks/ plugins/marketplaces/*/plugins/*/.mcp.json"),
    ("Claude Code runs its hooks or obeys it", HOME, ".claude.json#mcpServers,hooks,enabledMcpjsonServers,"
     "enableAllProjectMcpServers,apiKeyHelper,allowedTools"),
    ("Codex runs its hooks or obeys it", CODEX, "hooks.json AGENTS*.md prompts/ rules/"
     " config*.toml#mcp_servers,hooks,notify,shell_environment_policy,model_providers,model_provider,"
     "approval_policy,sandbox_mode,sandbox_workspace_write,profiles,profile,features,plugins,marketplaces,"
     "instructions,developer_instructions,model_instructions_file,experimental_instructions_file"
     " skills/[!.]*/"),
    ("Gemini CLI obeys it", HOME, ".gemini/settings.json .gemini/GEMINI.md .gemini/commands/ .gemini/.env"
     " .gemini/policies/ .gemini/skills/ .gemini/agents/ .gemini/hooks/ .gemini/extensions/*/*.json"
     " .gemini/extensions/*/hooks/ .gemini/extensions/*/commands/ .gemini/extensions/*/skills/"),
    ("opencode loads or obeys it", CONFIG, "opencode/opencode.json*#!$schema opencode/AGENTS.md opencode/plugin/"
     " opencode/command/ opencode/agent/ opencode/plugins/ opencode/commands/ opencode/agents/ opencode/tool/"
     " opencode/tools/ opencode/skill/ opencode/skills/ opencode/mode/ opencode/modes/ opencode/config.json#!$schema"
     " opencode/package.json"),
    ("Cursor runs its hooks or obeys it", HOME, ".cursor/mcp.json .cursor/hooks.json .cursor/rules/"),
    ("planrail obeys it", CONFIG, "planrail/planrail.toml"),
    ("the system starts it by itself", CONFIG, "systemd/user/ autostart/ plasma-workspace/env/ containers/systemd/"
     " i3/ sway/ hypr/"),
    ("the system starts it by itself", DATA, "systemd/user/ dbus-1/services/"),
    ("people run it by its name", HOME, "bin/ .local/bin/ .docker/cli-plugins/"),
    ("direnv lets it run", DATA, "direnv/allow/"),
    ("the system starts it by itself", HOME, "Library/LaunchAgents/"),
    ("the program of that name runs it when it starts", HOME, ".vimrc .vim/plugin/ .exrc .emacs .emacs.d/init.el"
     " .tmux.conf .screenrc .gdbinit .lldbinit .psqlrc .sqliterc .irbrc .pryrc .Rprofile .direnvrc .pythonrc*"
     " .gnupg/*.conf .aws/config .netrc .wgetrc .terraformrc .hgrc .mailcap .mime.types"
     " .docker/config.json#credsStore,credHelpers,plugins,cliPluginsExtraDirs,aliases,proxies,HttpHeaders"
     " .vim/after/ .vim/autoload/ .vim/ftplugin/ .jupyter/*.py .jupyter/*.json .jupyter/custom/"
     " .jupyter/jupyter_server_config.d/ .pyenv/pyenv.d/ .rbenv/rbenv.d/ .vscode-server/data/Machine/settings.json"
     " .ipython/profile_default/startup/ .jq .mavenrc .bazelrc .julia/config/startup.jl"),
    ("the program of that name runs it when it starts", CONFIG, "nvim/init.lua nvim/init.vim nvim/plugin/"
     " emacs/init.el tmux/tmux.conf direnv/direnvrc direnv/direnv.toml mise/config.toml mise/conf.d/"
     " Code/User/settings.json Code/User/tasks.json Code/User/mcp.json Cursor/User/settings.json"
     " Cursor/User/tasks.json gh/config.yml starship.toml kitty/kitty.conf alacritty/alacritty.toml ghostty/config"
     " wezterm/wezterm.lua zellij/config.kdl hg/hgrc jj/config.toml mimeapps.list gdb/gdbinit gdb/gdbearlyinit"
     " nvim/after/ nvim/autoload/ nvim/ftplugin/"),
)  # fmt: skip
OUTSIDE = tuple((what, place, tuple(name.replace(",", " ") for name in names.split())) for what, place, names in _TABLE)


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
    """What the person who decides is told."""
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
        key, _, value = (part.strip() for part in plain.partition("="))
        is_named = key.lower() in _OF_BRANCHES and (key.lower() != "remote" or _is_name(value))
        is_note = is_of_branch and not plain.endswith("\\") and (plain.startswith("[") or is_named)
        if plain and not is_note:
            kept.append(plain)
    return "\n".join(kept)


_OF_BRANCHES = ("remote", "merge", "rebase", "description", "vscode-merge-base", "gh-merge-base")


def _is_name(value: str) -> bool:
    return value == "." or value.replace("-", "").replace("_", "").isalnum()


def list_named(text: str, *, is_ssh: bool) -> list[str]:
    """The files that a file of settings names, as it spells them: git or ssh reads these as well."""
    import re  # hooks load this module for its other half

    if is_ssh:
        lines = (match[1].split() for match in re.finditer(_SSH_INCLUDES, text))
        return [name.strip('"') for names in lines for name in names]
    values = (match[1].strip() for match in re.finditer(_GIT_NAMES, text))
    return [value.strip('"') if value.startswith('"') else re.split(r"\s*[;#]", value)[0] for value in values]


_SSH_INCLUDES = r"(?im)^[ \t]*include[ \t=]+([^\n]+)"
_GIT_NAMES = (
    r"(?im)^[ \t]*(?:\[[^\]\n]*\][ \t]*)?(?:path|attributesfile|excludesfile|allowedsignersfile)[ \t]*=([^\n]*)"
)
