"""What people see: the project's server started on the work, pictures taken of it by a real browser, and the wait for a
person who has looked at them."""

import os

from planrail.base.identity import safe_name
from planrail.base.run_model import Finding, PhaseOrder, Snapshot
from planrail.git.tree_removal import remove_tree
from planrail.runs.checks.kept_programs import ProgramOrder
from planrail.runs.phases.viewpoints import Picture, View, odd_page, unseen
from planrail.runs.steps.rooms import Rooms, Stage
from planrail.runs.steps.site import Site
from planrail.runs.ui.browsers import Browser, find_browser, start_order
from planrail.runs.ui.dev_servers import Address, Page, Served, locate_pages, read_address, serve, with_port
from planrail.runs.ui.screenshots import Shot, take_pictures
from planrail.runs.workshop import At, Paused
from planrail.store.runs.sign_off_marks import early_place, is_signed, note_early

_SHORT = 12  # characters of a tree's hash in a file's name


class Viewing:
    """Takes the pictures that the settings ask for, and waits for the sign-off."""

    def __init__(self, site: Site, rooms: Rooms) -> None:
        self._site, self._rooms = site, rooms
        self._fresh: set[str] = set()  # the steps whose pictures this very process took

    def look_at(self, phase: PhaseOrder, at: At, snapshot: Snapshot, part: int) -> View:
        """See `Workshop.look_at`. Done again after a crash, it ends what was left running and takes them anew."""
        self._fresh.add(at.key(f"pictures.{part}"))
        order = self._site.order
        with self._site.open_ledger() as ledger:
            note_early(ledger, order.plan, order.run, phase.id, self._early(at, part))
        look = Look(self._site, self._site.outputs(at, f"pictures-{part}"), phase, at, snapshot.tree)
        address = look.read_address()
        if isinstance(address, str):
            look.findings.append(unseen(address))
            return look.view()
        try:
            look.clear()
            look.take(self._rooms.open_stage(phase, snapshot.commit, snapshot.base), address)
        except OSError as error:
            look.findings.append(unseen(f"{error.strerror or error}", kind="environment"))
        return look.view()

    def sign_off(self, phase: PhaseOrder, at: At, view: View, part: int) -> bool:
        order = self._site.order
        with self._site.open_ledger() as ledger:
            if is_signed(ledger, order.plan, order.run, phase.id, self._early(at, part)):
                return True
        if self._site.is_resumed and not view.is_whole and at.key(f"pictures.{part}") not in self._fresh:
            return False
        text = f"phase {phase.id} changes what people see; a person has to look at it"
        told = "; ".join(finding.text for finding in view.findings) if not view.pictures else ""
        raise Paused("paused", f"{text} ({told})" if told else text, f"planrail sign-off {order.path}")

    def _early(self, at: At, part: int) -> str:
        return early_place(self._site.folder, at.phase, at.attempt, part)


class Look:
    """One look at a tree: what came of it."""

    def __init__(self, site: Site, folder: str, phase: PhaseOrder, at: At, tree: str) -> None:
        self._site, self._folder, self._tree = site, folder, tree
        self._name = f"P{safe_name(phase.id)}-{at.attempt}"
        self.pictures: list[Picture] = []
        self.findings: list[Finding] = []
        self._wanted = 1

    def view(self) -> View:
        is_awaited = self._site.order.options.awaits_sign_off
        is_whole = len(self.pictures) >= self._wanted
        return View(self._tree, tuple(self.pictures), tuple(self.findings), is_awaited, is_whole)

    def read_address(self) -> Address | str:
        """Where the server will answer, or why there is nothing to start."""
        ui = self._site.settings.ui
        if not ui.server.strip():
            return "the settings name no server to look at ([ui] server and url)"
        return read_address(ui.url) if ui.url.strip() else "the settings do not say where the server answers ([ui] url)"

    def clear(self) -> None:
        """Remove what an earlier call left that died half way; the logs stay until they are written anew."""
        for name in os.listdir(self._folder):
            if name.endswith((".png", ".new")):
                remove_tree(os.path.join(self._folder, name))

    def take(self, stage: Stage, address: Address) -> None:
        """Start the server in the room, take the pictures, end everything."""
        ui = self._site.settings.ui
        pages, odd = locate_pages(address, ui.screenshots)
        self.findings += odd
        self._wanted = len(pages)
        browser = find_browser(self._site.environment, ui.browser)
        problem = stage.problem or browser.problem
        if problem or not pages:
            self.findings += [unseen(problem, kind="environment" if stage.problem else "browser")] if problem else []
            return
        log = os.path.join(self._folder, "server.log")
        order = ProgramOrder([ui.server], stage.folder, stage.environment, log)
        with serve(order, address, ui.ready) as served:
            if served.problem:
                self.findings.append(unseen(served.problem, place=log))
            else:
                self._photograph(browser.program, stage, pages, served)

    def _photograph(self, program: str, stage: Stage, pages: list[Page], served: Served) -> None:
        log = os.path.join(self._folder, "browser.log")
        order = start_order(Browser(program), self._folder, stage.environment, log)
        album = take_pictures(order, [Page(page.name, with_port(page.url, served.port)) for page in pages])
        for number, shot in enumerate(album.shots, 1):
            self._keep(number, shot)
        if album.problem:
            self.findings.append(unseen(album.problem, kind="browser", place=log))

    def _keep(self, number: int, shot: Shot) -> None:
        self.findings += [odd_page(shot.page.name, remark) for remark in shot.remarks]
        if shot.picture:
            path = os.path.join(self._folder, f"{self._name}-{number}-{self._tree[:_SHORT]}.png")
            _write(path, shot.picture)
            self.pictures.append(Picture(shot.page.name, path))


def _write(path: str, data: bytes) -> None:
    with open(f"{path}.new", "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.new", path)
