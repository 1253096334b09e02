"""A run gives way between two phases, and nowhere else."""

from planrail.base.run_model import YIELDED, Options, Order, PhaseOrder
from planrail.runs.pipeline import run_plan
from tests.support.scripted_workshop import ScriptedWorkshop

PHASES = tuple(PhaseOrder(name, name, "", ("work",), (), (), ()) for name in "123")


def order(*, finish: bool) -> Order:
    options = Options(auto=True, finish=finish)
    return Order("run", "p", "p.md", "/r", "p", "P", "refs/heads/main", True, "h", PHASES, options)


def do(key: str, step: object, *arguments: object) -> object:
    return step(*arguments)  # type: ignore[operator]


def run(shop: ScriptedWorkshop, *, finish: bool) -> str:
    ending = run_plan(do, shop, order(finish=finish))  # type: ignore[arg-type]
    return ending.state


def test_a_run_that_is_to_give_way_does_one_phase_and_says_which_is_next() -> None:
    shop = ScriptedWorkshop(order(finish=True))
    shop.is_to_give_way = True
    assert run(shop, finish=True) == YIELDED
    assert [step for step in shop.done if step.endswith(":land")] == ["1:land"]
    assert shop.endings[0].phase == "2"


def test_a_run_of_one_phase_has_nothing_to_give_way_for() -> None:
    shop = ScriptedWorkshop(order(finish=False))
    shop.is_to_give_way = True
    assert run(shop, finish=False) == "phase_done"
