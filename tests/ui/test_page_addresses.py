"""Where pages are: on this machine, and of one server."""

import pytest

from planrail.runs.ui.dev_servers import Address, locate_pages, origin_of, read_address, with_port


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:3000",
        "http://localhost:3000/app/",
        "https://localhost",
        "http://shop.localhost:80/",
        "http://[::1]:5173/",
        "http://127.8.9.1:0",
    ],
)
def test_this_machine_is_looked_at(url: str) -> None:
    assert isinstance(read_address(url), Address)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org:3000",
        "http://192.168.1.7:3000",
        "http://0.0.0.0:3000",
        "http://localhost.example.org/",
        "http://notlocalhost/",
        "localhost:3000",
        "file:///etc/passwd",
        "http://ann:secret@localhost:3000",
        "http://127.0.0.1:99999",
        "http://[::1",
        "",
        "javascript:alert(1)",
    ],
)
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


@pytest.mark.parametrize(
    "name",
    [
        "//example.org/",
        "http://127.0.0.1:3001/",
        "https://127.0.0.1:3000/",
        "javascript:alert(1)",
        "file:///etc/passwd",
    ],
)
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
