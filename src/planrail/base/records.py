"""Records: the spelling of a dataclass without the price of importing `dataclasses`.

`dataclasses` pulls in `inspect`, `ast` and `dis`: 14 ms of CPU at every start, more than the interpreter itself.
A reader that answers in 50 ms cannot pay that, so this module gives the five things planrail uses of it: slots, a
constructor, equality, a representation and `replace`. Type checkers see a frozen dataclass.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar, dataclass_transform

    T = TypeVar("T")

    @dataclass_transform(frozen_default=True)
    def record(cls: type[T]) -> type[T]: ...

    @dataclass_transform(eq_default=False)
    def mutable_record(cls: type[T]) -> type[T]: ...

    def replace(value: T, **changes: object) -> T: ...

else:

    def record(cls):
        """Make a class of its annotations: slots, `__init__`, `__eq__`, `__repr__`."""
        return _build(cls, {"__eq__": _equal, "__hash__": None})

    def mutable_record(cls):
        """The same for things that change: two of them are equal only if they are one."""
        return _build(cls, {})

    def replace(value, **changes):
        """A copy of a record with some fields changed."""
        return type(value)(**{name: changes.pop(name, getattr(value, name)) for name in value.__slots__}, **changes)

    def _build(cls, comparison):
        names = tuple(getattr(cls, "__annotations__", ()))
        body = {key: value for key, value in cls.__dict__.items() if key not in ("__dict__", "__weakref__")}
        defaults = {name: body.pop(name) for name in names if name in body}
        body["__slots__"] = names
        body.setdefault("__match_args__", names)

        def compile_first(self, *values, **named):  # most kinds that a process imports it never makes one of
            made.__init__ = _constructor(names, defaults)
            made.__init__(self, *values, **named)

        body["__init__"] = compile_first
        body = comparison | body  # what the class says itself counts: a hash, for one
        body.setdefault("__repr__", _represent)
        made = type(cls)(cls.__name__, cls.__bases__, body)
        return made

    def _constructor(names, defaults):
        parameters = ", ".join(f"{name}=defaults[{name!r}]" if name in defaults else name for name in names)
        assignments = "\n    ".join(f"self.{name} = {name}" for name in names) or "pass"
        space = {"defaults": defaults}
        exec(f"def __init__(self, {parameters}):\n    {assignments}", space)  # noqa: S102 - names from our own source
        return space["__init__"]

    def _equal(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def _represent(self):
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({fields})"
