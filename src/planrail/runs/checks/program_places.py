"""Where programs, the packages that they load and the settings that they obey lie, beside the folders of a PATH. As
data, but for what variables add to it."""

import os
from collections.abc import Iterator, Mapping

INTERPRETERS = ("python", "python3", "node", "ruby")
# Below the folder that holds a folder of programs: packages, and settings that a program finds by where it stands.
PACKAGES = (
    *("lib/python3*", "lib/python3*/site-packages", "lib/python3*/dist-packages", "lib64/python3*/site-packages"),
    *("lib/node_modules", "lib/ruby/gems/*/specifications", "lib/ruby/gems/*/plugins"),
)
SETTINGS = ("pyvenv.cfg", "pip.conf", "etc/npmrc", "etc/gemrc", "lib/node_modules/npm/npmrc")
# Beside a folder of stand-ins (pyenv, rbenv, asdf, mise): the versions, the programs that choose one and what these
# load; then what they obey and run.
SHIMMED = ("versions/*", "installs/*/*")
_CHOOSER = ("bin", "lib", "libexec", "shims")
CHOOSERS = (*(f"{place}/bin" for place in SHIMMED), *_CHOOSER[:-1], *(f"plugins/*/{part}" for part in _CHOOSER))
CHOOSING = ("*.d", "plugins/*/etc")  # not the rest of a plugin: that of pyenv has two thousand recipes
CHOICE = "version"
OWN = ".local"
GEMS = tuple(f"{gems}/ruby/*/{part}" for gems in (".gem", ".local/share/gem") for part in ("specifications", "plugins"))
# Below what a variable names that checks see, or else the home folder: programs and libraries that are run or loaded
# without the PATH.
_NAMED = {
    **dict.fromkeys(("LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"), ("", ("", "glibc-hwcaps/*"))),
    **dict.fromkeys(("MAVEN_HOME", "M2_HOME"), ("", ("bin", "boot", "conf", "lib", "lib/ext"))),
    **dict.fromkeys(("GEM_HOME", "GEM_PATH", "BUNDLE_PATH"), ("", ("bin", "specifications", "plugins"))),
    "JAVA_HOME": ("", ("bin", "conf", "lib", "lib/server")),
    "GOROOT": ("", ("bin", "pkg/tool/*")),
    "DOTNET_ROOT": ("", ("", "sdk", "host/fxr/*")),
    "ASDF_DIR": ("", ("bin", "lib", "libexec")),
    "RUSTUP_HOME": (".rustup", ("toolchains/*/bin", "toolchains/*/lib")),
    "VOLTA_HOME": (".volta", ("bin", "tools/image/*/*/bin")),
}
_PROGRAMS = ("CHROME_BIN", "PUPPETEER_EXECUTABLE_PATH")
# By which variable a tool's folder of the home folder is moved.
_MOVED = {
    ".config/": "XDG_CONFIG_HOME",
    ".cargo/": "CARGO_HOME",
    ".rustup/": "RUSTUP_HOME",
    ".gradle/": "GRADLE_USER_HOME",
}


def named_folders(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The folders of programs and libraries to which variables lead, each as a folder and a pattern below it."""
    home = environment.get("HOME", "")
    for name, (usual, patterns) in _NAMED.items():
        given = environment.get(name) or (os.path.join(home, usual) if home and usual else "")
        for folder in filter(os.path.isabs, given.split(os.pathsep)):
            yield from ((folder, pattern) for pattern in patterns)
    for name in _PROGRAMS:
        if os.path.isabs(program := environment.get(name, "")):
            yield os.path.dirname(program), ""


def places_of(name: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Where a file of the home folder is looked for: there, and where a variable moves it to."""
    if home := environment.get("HOME", ""):
        yield os.path.join(home, name)
    for folder, variable in _MOVED.items():
        if name.startswith(folder) and os.path.isabs(moved := environment.get(variable, "")):
            yield os.path.join(moved, name.removeprefix(folder))
