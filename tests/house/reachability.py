"""Which definitions does no way through the product reach?

A graph over the source. A node is a module's own code, a function, a class, a constant or a method; an edge leads from
it to each name that it uses. Names are followed through imports, so two functions that are called alike are two; so is
`module.name`, also where the module only hands the name on. What is asked of another object (`thing.name`) cannot be
told apart by reading: such a word reaches every method and property of that name in the classes that are reached. A
string reaches what it imports, as programs for another interpreter do, and names of its own module, as quoted types do.
Docstrings reach nothing.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

AS_AN_OBJECT = "*"  # a module that is handed around: what is asked of it is known by its name only
_LONGEST_TYPE = 200  # characters; longer strings are prose


class Definition(NamedTuple):
    """A function, class, constant or method, by the dotted name of its module and its own name."""

    module: str
    name: str


class Module(NamedTuple):
    """One file: its dotted name, what it defines, and which definition each imported name means."""

    name: str
    tree: ast.Module
    definitions: dict[str, ast.stmt]
    imports: dict[str, Definition]


def read_modules(source: Path) -> dict[str, Module]:
    """Every module below a folder of packages, by its dotted name."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found[name] = Module(name, tree, dict(_definitions(tree.body)), _imports(tree))
    return found


def unreached(modules: dict[str, Module], roots: list[Definition]) -> list[Definition]:
    """The definitions that no root reaches."""
    reached = _walk(modules, roots)
    return [
        definition
        for module in modules.values()
        for definition in _all_definitions(module)
        if definition not in reached and not definition.name.startswith("__")
    ]


def named_in_program(text: str) -> list[Definition]:
    """What a program in a string or a script imports from planrail."""
    return [Definition(*found) for found in re.findall(r"from (planrail[\w.]*) import (\w+)", text)]


def _definitions(body: list[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name, statement
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                yield from ((name.id, statement) for name in ast.walk(target) if isinstance(name, ast.Name))
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            yield from _definitions(statement.body)
            yield from _definitions(getattr(statement, "orelse", []))


def _methods(node: ast.stmt) -> Iterator[str]:
    """The methods and properties of a class; its fields are a matter of its shape."""
    if isinstance(node, ast.ClassDef):
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                yield statement.name


def _all_definitions(module: Module) -> Iterator[Definition]:
    for name, node in module.definitions.items():
        yield Definition(module.name, name)
        yield from (Definition(module.name, f"{name}.{method}") for method in _methods(node))


def _imports(tree: ast.Module) -> dict[str, Definition]:
    """Names of one file are imported once each, wherever in it the import stands."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = Definition(node.module, alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = Definition(alias.name, "")
    return found


def _walk(modules: dict[str, Module], roots: list[Definition]) -> set[Definition]:
    reached: set[Definition] = set()
    words: set[str] = set()  # what is asked of some object
    waiting = set(roots)
    while waiting:
        reached |= waiting
        uses = [_uses(modules, definition) for definition in waiting]
        words = words.union(*(said for _, said in uses))
        followed = {found for names, _ in uses for found in names}
        waiting = followed - reached or set(_asked(modules, reached, words)) - reached
    return reached


def _asked(modules: dict[str, Module], reached: set[Definition], words: set[str]) -> Iterator[Definition]:
    for module, name in reached:
        if name == AS_AN_OBJECT:
            known = {*modules[module].definitions, *modules[module].imports}  # `import x as x` hands a name on
            yield from (Definition(module, own) for own in known & words)
        elif module in modules and name in modules[module].definitions:
            for method in _methods(modules[module].definitions[name]):
                if method in words or method.startswith("__"):
                    yield Definition(module, f"{name}.{method}")


def _uses(modules: dict[str, Module], definition: Definition) -> tuple[list[Definition], set[str]]:
    module = modules.get(definition.module)
    if module is None:
        return [], set()
    if f"{definition.module}.{definition.name}" in modules:  # `from package import module`
        return [Definition(f"{definition.module}.{definition.name}", part) for part in ("", AS_AN_OBJECT)], set()
    if definition.name in module.imports and definition.name not in module.definitions:  # handed on by a package
        return [module.imports[definition.name], Definition(module.name, "")], set()
    return _names_in(modules, module, _code(module, definition.name))


def _code(module: Module, name: str) -> list[ast.AST]:
    """What is executed, or read by the type checker, when a definition is used; "" is the module itself."""
    if not name:
        own = set(map(id, module.definitions.values()))
        return [statement for statement in module.tree.body if id(statement) not in own]
    owner, _, method = name.partition(".")
    node = module.definitions.get(owner)
    if node is None:
        return []
    if not isinstance(node, ast.ClassDef):
        return [node]
    parts = [part for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]
    if method:
        return [part for part in parts if part.name == method]
    return [*node.bases, *node.decorator_list, *[part for part in node.body if part not in parts]]


def _names_in(modules: dict[str, Module], module: Module, code: list[ast.AST]) -> tuple[list[Definition], set[str]]:
    used = [Definition(module.name, "")]
    words = set()
    settled = set()  # nodes that say nothing of their own: the module in `module.name`, and docstrings
    for node in (node for part in code for node in ast.walk(part)):  # the outer ones first
        if id(node) in settled:
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            settled.add(id(node.value))
        elif isinstance(node, ast.Attribute):
            asked = _module_meant(modules, module, node.value)
            if asked:
                settled.add(id(node.value))
                used += [Definition(asked, ""), Definition(asked, node.attr)]
            else:
                words.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            used += _meant(module, node.id)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            used += [Definition(name, "") for name in _imported_modules(node)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            used += named_in_program(node.value)
            used += [found for word in re.findall(r"\w+", node.value[:_LONGEST_TYPE]) for found in _meant(module, word)]
            words.add(node.value)
    return used, words


def _module_meant(modules: dict[str, Module], module: Module, node: ast.expr) -> str:
    """The module that a name stands for; "" where it stands for something else."""
    if not isinstance(node, ast.Name) or node.id in module.definitions or node.id not in module.imports:
        return ""
    meant = ".".join(filter(None, module.imports[node.id]))
    return meant if meant in modules else ""


def _meant(module: Module, name: str) -> list[Definition]:
    if name in module.definitions:
        return [Definition(module.name, name)]
    return [module.imports[name]] if name in module.imports else []


def _imported_modules(node: ast.ImportFrom | ast.Import) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if node.module else []
