"""What a headless planning keeps, looks up and tells while it goes on."""

from planrail.base.records import replace
from planrail.base.settings import Settings
from planrail.planning.crew import News, Stand
from planrail.planning.headless.crew import AgentCrew, Display
from planrail.planning.headless.guard import compare_tree
from planrail.planning.in_session.facts import open_ground
from planrail.planning.lessons import recall
from planrail.planning.machine import EXPLORE
from planrail.planning.planning import Answer, Ground, Planning
from planrail.planning.plannings import Kept, keep_answer, save_stand


class PlanningKeeper:
    """See `planning.crew.Keeper`. `kept` is the planning as it was saved last."""

    def __init__(
        self, folder: str, kept: Kept, settings: Settings, display: Display, crew: AgentCrew, *, can_ask: bool
    ) -> None:
        self.kept = kept
        self._folder, self._settings, self._display = folder, settings, display
        self._crew, self._can_ask = crew, can_ask
        self._known: tuple[int, Ground] | None = None
        self._counted = crew.spent

    def keep(self, stand: Stand) -> None:
        self.kept = save_stand(self._folder, self.add_costs(), stand)

    def add_costs(self) -> Kept:
        now, then, about = self._crew.spent, self._counted, self.kept.about
        self._counted = now
        return self.kept.note(
            tokens_in=str(int(about.get("tokens_in", "0")) + now.tokens_in - then.tokens_in),
            tokens_out=str(int(about.get("tokens_out", "0")) + now.tokens_out - then.tokens_out),
            cost=f"{float(about.get('cost', '0')) + now.cost - then.cost:.6f}",
        )

    def keep_answer(self, planning: Planning, answer: Answer) -> None:
        keep_answer(self._folder, planning, answer)

    def ground(self, planning: Planning) -> Ground:
        """What the answers to this phase are held against: looked up once."""
        index = planning.progress.index
        if self._known is None or self._known[0] != index:
            about, is_exploring = self.kept.about, planning.progress.phase == EXPLORE
            ground = open_ground(about["root"], about["plan_file"], self._settings, count=is_exploring)
            self._known = index, replace(ground, can_ask=self._can_ask)
        return self._known[1]

    def lessons(self, planning: Planning) -> str:
        return recall(self.kept.about["root"], planning, int(self.kept.about["number"]))

    def look_at_tree(self) -> None:
        self.kept, report = compare_tree(self._folder, self.kept)
        if report:
            self._display.note(report)

    def show(self, news: News) -> None:
        self._display.show(news)
