"""Values that a run writes down and reads back: records as JSON, so that a crash loses only the step in flight."""

from planrail.base.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar, dataclass_transform

    T = TypeVar("T")

    @dataclass_transform(frozen_default=True)
    def value(cls: type[T]) -> type[T]: ...

else:

    def value(cls):
        """A record that can be written down."""
        made = record(cls)
        _KINDS[made.__name__] = made
        return made


_KINDS: dict[str, type] = {}
_KIND, _TUPLE = "~", "~tuple"


def pack(thing: object) -> object:
    """A value as JSON has it. Raises `TypeError` for what is none."""
    if thing is None or isinstance(thing, str | int | float | bool):
        return thing
    if isinstance(thing, tuple):
        return {_TUPLE: [pack(part) for part in thing]}
    if isinstance(thing, list):
        return [pack(part) for part in thing]
    if isinstance(thing, dict):
        return {str(name): pack(part) for name, part in thing.items()}
    kind = type(thing).__name__
    if _KINDS.get(kind) is not type(thing):
        raise TypeError(f"{kind} is no value that a run can write down")
    return {_KIND: kind, **{name: pack(getattr(thing, name)) for name in thing.__slots__}}  # type: ignore[attr-defined]


def unpack(thing: object) -> object:
    """What was packed. Raises `ValueError` for what planrail has not written; a field that is new has its default."""
    if isinstance(thing, list):
        return [unpack(part) for part in thing]
    if not isinstance(thing, dict):
        return thing
    if _TUPLE in thing:
        return tuple(unpack(part) for part in thing[_TUPLE])
    if _KIND not in thing:
        return {name: unpack(part) for name, part in thing.items()}
    kind = _KINDS.get(str(thing[_KIND]))
    if kind is None:
        raise ValueError(f"{thing[_KIND]!r} is no kind of value")
    known = kind.__slots__  # type: ignore[attr-defined]
    try:
        return kind(**{name: unpack(part) for name, part in thing.items() if name in known})
    except TypeError as error:
        raise ValueError(f"a {thing[_KIND]} lacks a field: {error}") from error
