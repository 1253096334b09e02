"""A run as its journal has it, for tests: an order, and lines of steps."""

from planrail.base.run_model import Options, Order, PhaseOrder
from planrail.base.values import pack
from planrail.store.journal_lines import BEGUN, ENDED, JournalLine


def make_phase(name: str, title: str = "", *, is_ui: bool = False, items: tuple[str, ...] = ()) -> PhaseOrder:
    """A phase of a plan."""
    return PhaseOrder(name, title or f"Phase {name}", "", items or (f"do {name}",), (), (), (), is_ui=is_ui)


def make_order(*phases: PhaseOrder, root: str = "/r", run: str = "run-1", approval: str = "terminal") -> Order:
    """An order of a plan `PLAN.md`."""
    return Order(
        run, "PLAN.md", "PLAN.md", root, "plan", "The plan", "refs/heads/main", True, "hash", phases, Options(),
        approval=approval, began=1000,
    )  # fmt: skip


def step(key: str, began: float, ended: float | None = None, value: object = None) -> list[JournalLine]:
    """The lines of a step."""
    lines = [JournalLine(began, key, BEGUN)]
    return lines if ended is None else [*lines, JournalLine(ended, key, ENDED, pack(value))]
