"""Mutants of a module: one decision changed in each. Which of them are tried is drawn once and for all."""

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

SEED = "decisive lines"
_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_BOUNDS: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_SWAPS = {**_OPPOSITES, **_BOUNDS}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LEAVING = (ast.Return, ast.Raise, ast.Continue)


class Mutant(NamedTuple):
    """A module with one decision changed. Its name knows neither the module nor the line: both may move."""

    name: str
    line: int
    source: bytes


class _Change(NamedTuple):
    node: ast.expr | ast.stmt
    before: str
    after: str


def draw(source: bytes, count: int, without: Collection[str] = ()) -> list[Mutant]:
    """As many mutants as wanted, always the same ones: code that is added or moved changes the choice of few."""
    found = [mutant for mutant in make_mutants(source) if mutant.name not in without]
    return sorted(found, key=lambda mutant: _place(mutant.name))[:count]


def _place(name: str) -> bytes:
    return hashlib.sha256(f"{SEED} {name}".encode()).digest()


def make_mutants(source: bytes) -> list[Mutant]:
    """Every mutant of a module."""
    seen: Counter[str] = Counter()
    mutants: dict[bytes, Mutant] = {}
    for function in _functions(ast.parse(source)):
        for change in _changes(function):
            name = f"{function.name}: {change.before} -> {change.after}"
            changed = _splice(source, change)
            if changed not in mutants:
                seen[name] += 1
                name += f" #{seen[name]}" if seen[name] > 1 else ""
                mutants[changed] = Mutant(name, change.node.lineno, changed)
    return list(mutants.values())


def _functions(tree: ast.Module) -> "Iterator[ast.FunctionDef | ast.AsyncFunctionDef]":
    """The functions and methods; what is inside of a function belongs to it."""
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    yield from (node for body in bodies for node in body if isinstance(node, _FUNCTIONS))


def _changes(function: "ast.FunctionDef | ast.AsyncFunctionDef") -> Iterator[_Change]:
    is_question = isinstance(function.returns, ast.Name) and function.returns.id == "bool"
    for node in _walk(function):
        match node:
            case ast.If():
                yield _negate(node.test)
                if not node.orelse and isinstance(node.body[-1], _LEAVING):
                    yield _Change(node, f"if {ast.unparse(node.test)}: leave", "pass")
            case ast.IfExp():
                yield _negate(node.test)
            case ast.comprehension():
                yield from (_negate(test) for test in node.ifs)
            case ast.BoolOp():
                changed = copy.copy(node)
                changed.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
                yield _Change(node, ast.unparse(node), ast.unparse(changed))
            case ast.Compare(ops=[_]):
                yield _swap(node)
            case ast.Return(value=ast.Constant() as constant) if (other := _other(constant.value)) is not None:
                yield _Change(constant, f"return {constant.value!r}", repr(other))
            case ast.Return(value=ast.expr() as value) if is_question and not isinstance(value, ast.Constant):
                yield _negate(value)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Every node but those in f-strings, whose places Python 3.11 does not tell."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.JoinedStr):
            yield child
            yield from _walk(child)


def _negate(test: ast.expr) -> _Change:
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITES:
        return _swap(test)  # `not a == b` is `a != b`
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _Change(test, ast.unparse(test), ast.unparse(test.operand))
    return _Change(test, ast.unparse(test), ast.unparse(ast.UnaryOp(ast.Not(), test)))


def _swap(node: ast.Compare) -> _Change:
    changed = copy.copy(node)
    changed.ops = [_SWAPS[type(node.ops[0])]()]
    return _Change(node, ast.unparse(node), ast.unparse(changed))


def _other(value: object) -> object:
    """Another constant of the same kind; None for what has none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return "" if value else "mutant"
    return value + 1 if isinstance(value, int) else None


def _splice(source: bytes, change: _Change) -> bytes:
    """The module with the change in its place; all else stays as it was."""
    lines, node = source.splitlines(keepends=True), change.node
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    after = change.after if isinstance(node, ast.stmt) else f"({change.after})"
    return source[:start] + after.encode() + source[end:]
