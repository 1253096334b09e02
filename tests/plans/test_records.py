"""Records: what planrail uses of dataclasses, without their price."""

import pytest

from planrail.base.records import mutable_record, record


@record
class Point:
    """A place."""

    x: int
    y: int = 0

    @property
    def is_origin(self) -> bool:
        return not self.x and not self.y


@mutable_record
class Counter:
    """A thing that changes."""

    count: int


def test_a_record_has_the_constructor_methods_and_equality_of_its_fields_and_no_room_for_others() -> None:
    assert (Point(1).x, Point(1).y, Point(1, 2).y, Point(x=3, y=4).y) == (1, 0, 2, 4)
    for arguments in ((), (1, 2, 3)):
        with pytest.raises(TypeError):
            Point(*arguments)
    other: object = (1, 2)
    assert Point(1, 2) == Point(1, 2)
    assert Point(1, 2) not in (Point(1, 3), other)
    with pytest.raises(TypeError):
        hash(Point(1, 2))
    assert (Point(0).is_origin, Point.__doc__, repr(Point(1, 2))) == (True, "A place.", "Point(x=1, y=2)")
    with pytest.raises(AttributeError):
        Point(1).z = 3  # type: ignore[attr-defined]


def test_a_mutable_record_changes_and_is_equal_to_itself_alone() -> None:
    first, second = Counter(1), Counter(1)
    first.count += 1
    assert first.count == 2
    assert first != second
    assert len({first, second}) == 2
