"""Names: a public class is found by its name, wherever it is."""

import re
from collections import defaultdict

from tests.house.hot_modules import list_sources


def test_a_public_class_name_exists_once() -> None:
    places = defaultdict(list)
    for module, path in list_sources():
        for name in re.findall(r"^class ([A-Z]\w*)", path.read_text(encoding="utf-8"), re.MULTILINE):
            places[name].append(module)
    assert len(places) > 100
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}
