"""Names: a public class is found by its name, wherever it is."""

import ast
from collections import defaultdict

from tests.house.hot_modules import list_sources


def test_a_public_class_name_exists_once() -> None:
    places = defaultdict(list)
    for module, path in list_sources():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module)
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}
