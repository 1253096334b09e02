"""Where pages are: on this machine, and of one server."""

import pytest

from planrail.runs.ui.dev_servers import Address, locate_pages, origin_of, read_address, with_port
from tests.support.tables import read_table


@pytest.mark.parametrize("url", read_table("ui/tables/addresses", "this machine"))
def test_this_machine_is_looked_at(url: str) -> None:
    assert isinstance(read_address(url), Address)


@pytest.mark.parametrize("url", read_table("ui/tables/addresses", "elsewhere"))
def test_nothing_else_is(url: str) -> None:
    refused = read_address(url)
    assert isinstance(refused, str)
    assert "[ui] url" in refused


def _address(url: str) -> Address:
    made = read_address(url)
    assert isinstance(made, Address)
    return made


def test_pages_are_paths_or_addresses_of_the_same_server() -> None:
    names = ["/", "/settings?tab=2", "about", "http://127.0.0.1:3000/full", "/"]
    pages, findings = locate_pages(_address("http://127.0.0.1:3000/app/"), names)
    assert [page.url for page in pages] == [
        "http://127.0.0.1:3000/",
        "http://127.0.0.1:3000/settings?tab=2",
        "http://127.0.0.1:3000/app/about",
        "http://127.0.0.1:3000/full",
    ]
    assert findings == []
    pages, _ = locate_pages(_address("http://127.0.0.1:3000/app?x=1"), [])
    assert [(page.name, page.url) for page in pages] == [("/app?x=1", "http://127.0.0.1:3000/app?x=1")]


@pytest.mark.parametrize("name", read_table("ui/tables/addresses", "pages of others"))
def test_a_page_of_somebody_else_is_a_finding(name: str) -> None:
    pages, findings = locate_pages(_address("http://127.0.0.1:3000"), ["/", name])
    assert [page.name for page in pages] == ["/"]
    assert [finding.is_failure for finding in findings] == [False]
    assert name in findings[0].text


def test_a_port_that_was_chosen_takes_the_place_of_the_other() -> None:
    assert with_port("http://127.0.0.1:0/a?b", 4711) == "http://127.0.0.1:4711/a?b"
    assert with_port("http://[::1]:0/", 4711) == "http://[::1]:4711/"
    assert origin_of("http://localhost/") == origin_of("http://localhost:80/x")
    assert origin_of("about:blank") == ""
    assert [_address(url).port for url in ("http://localhost", "https://localhost", "http://localhost:8080")] == [
        *(80, 443, 8080)
    ]
