"""Zones by name, and the machine's own."""

import zoneinfo
from collections.abc import Iterator
from datetime import timedelta
from importlib.util import find_spec

import pytest

from planrail.base.errors import UsageError
from planrail.team.schedules.zones import find_zone, local_zone_name


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("Europe/Belin", "Europe/Berlin"),
        ("berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("Europe", "Europe/"),
        ("../../etc/passwd", "name such as"),
        ("/etc/localtime", "name such as"),
        ("localtime", "name such as"),  # another one on each machine
        ("", "name such as"),
        ("a\0b", "name such as"),
    ],
)
def test_a_name_that_is_none_is_refused_with_one_that_is_near(name: str, advice: str) -> None:
    with pytest.raises(UsageError) as refused:
        find_zone(name)
    assert advice in refused.value.remedy


def _local(environment: dict[str, str], link: str = "", text: str = "") -> str:
    return local_zone_name(environment, lambda _: link, lambda *_: text.encode())


def test_the_variable_comes_first() -> None:
    assert _local({"TZ": "Asia/Tokyo"}, "/usr/share/zoneinfo/Europe/Berlin") == "Asia/Tokyo"
    assert _local({"TZ": ":Asia/Tokyo"}) == "Asia/Tokyo"
    assert _local({"TZ": "/usr/share/zoneinfo/Asia/Tokyo"}) == "Asia/Tokyo"
    assert _local({"TZ": ""}, "/usr/share/zoneinfo/Europe/Berlin") == "UTC"


def test_the_link_comes_before_the_file() -> None:
    link = "/usr/share/zoneinfo/Europe/Berlin"
    assert _local({}, link, "Asia/Tokyo\n") == "Europe/Berlin"
    assert _local({}, "/var/db/timezone/zoneinfo/America/New_York") == "America/New_York"
    assert _local({}, "/usr/share/zoneinfo/posix/Europe/Berlin") == "Europe/Berlin"


def test_a_copy_in_place_of_the_link_leaves_it_to_the_file() -> None:
    assert _local({}, "/etc/localtime", "Asia/Tokyo\n") == "Asia/Tokyo"


def test_a_machine_that_does_not_say_has_the_world_s_time() -> None:
    assert _local({}, "/etc/localtime", "") == "UTC"
    assert _local({"TZ": "CET-1CEST,M3.5.0,M10.5.0/3"}, "/etc/localtime", "nonsense") == "UTC"


def test_this_machine_has_a_zone() -> None:
    find_zone(local_zone_name())


@pytest.fixture
def _no_zone_data() -> Iterator[None]:
    """A machine without the files of the zones."""
    zoneinfo.reset_tzpath(to=())
    zoneinfo.ZoneInfo.clear_cache()
    find_zone.cache_clear()
    yield
    zoneinfo.reset_tzpath()
    find_zone.cache_clear()


@pytest.mark.skipif(find_spec("tzdata") is not None, reason="the package tzdata has the files")
@pytest.mark.usefixtures("_no_zone_data")
def test_a_machine_without_zone_data_is_told_what_to_install_and_has_utc_all_the_same() -> None:
    with pytest.raises(UsageError) as refused:
        find_zone("Europe/Berlin")
    assert refused.value.remedy == "pip install tzdata"
    assert find_zone("UTC").utcoffset(None) == timedelta(0)
    assert local_zone_name({"TZ": "Europe/Berlin"}, lambda _: "", lambda *_: None) == "UTC"
