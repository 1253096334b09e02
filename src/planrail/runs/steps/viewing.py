"""What people see: the project's server started on the work, pictures taken of it by a real browser, and the wait for a
person who has looked at them."""

import os

from planrail.base.run_model import Finding, Snapshot
from planrail.base.whole_files import write_whole
from planrail.git.tree_removal import remove_tree
from planrail.runs.checks.kept_programs import ProgramOrder
from planrail.runs.checks.provisioning import CheckTree
from planrail.runs.phases.viewpoints import Picture, View, odd_page, unseen
from planrail.runs.steps.site import At, Paused, Site
from planrail.runs.steps.workspaces import Workspaces
from planrail.runs.ui.browsers import Browser, find_browser, start_order
from planrail.runs.ui.dev_servers import Address, Page, Served, locate_pages, read_address, serve, with_port
from planrail.runs.ui.screenshots import take_pictures
from planrail.store.runs.run_facts import early_place, is_signed, note_early

_SHORT = 12  # characters of a tree's hash in a file's name


class Viewing:
    """Takes the pictures that the settings ask for, and waits for the sign-off."""

    def __init__(self, site: Site, workspaces: Workspaces) -> None:
        self._site, self._workspaces = site, workspaces
        self._fresh: set[str] = set()  # the steps whose pictures this very process took

    def look_at(self, at: At, snapshot: Snapshot, part: int) -> View:
        """Pictures of a phase that people see, for the sign-off. Where there are none, it says why.

        Done again after a crash, it ends what was left running and takes them anew.
        """
        self._fresh.add(at.key(f"pictures.{part}"))
        order, ui = self._site.order, self._site.settings.ui
        with self._site.open_ledger() as ledger:
            note_early(ledger, order.plan, order.run, at.phase.id, self._early(at, part))
        look = Look(self._site, self._site.outputs(at, f"pictures-{part}"), at, snapshot.tree)
        address: Address | str = "the settings do not say where the server answers ([ui] url)"
        if not ui.server.strip():
            address = "the settings name no server to look at ([ui] server and url)"
        elif ui.url.strip():
            address = read_address(ui.url)
        if isinstance(address, str):
            look.findings.append(unseen(address))
            return look.view()
        try:
            look.clear()
            look.take(self._workspaces.open_stage(at, snapshot.commit, snapshot.base), address)
        except OSError as error:
            look.findings.append(unseen(f"{error.strerror or error}", kind="environment"))
        return look.view()

    def sign_off(self, at: At, view: View, part: int) -> bool:
        """Whether a person has signed off; raises `Paused` until then. False: the pictures are to be taken anew."""
        order, phase = self._site.order, at.phase.id
        with self._site.open_ledger() as ledger:
            if is_signed(ledger, order.plan, order.run, phase, self._early(at, part)):
                return True
        if self._site.is_resumed and not view.is_whole and at.key(f"pictures.{part}") not in self._fresh:
            return False
        text = f"phase {phase} changes what people see; a person has to look at it"
        told = "; ".join(finding.text for finding in view.findings) if not view.pictures else ""
        raise Paused("paused", f"{text} ({told})" if told else text, f"planrail sign-off {order.path}")

    def _early(self, at: At, part: int) -> str:
        return early_place(self._site.folder, at.phase.id, at.attempt, part)


class Look:
    """One look at a tree: what came of it."""

    def __init__(self, site: Site, folder: str, at: At, tree: str) -> None:
        self._site, self._folder, self._tree, self._name = site, folder, tree, f"P{at.name}"
        self.pictures: list[Picture] = []
        self.findings: list[Finding] = []
        self._wanted = 1

    def view(self) -> View:
        is_awaited = self._site.order.options.awaits_sign_off
        is_whole = len(self.pictures) >= self._wanted
        return View(self._tree, tuple(self.pictures), tuple(self.findings), is_awaited, is_whole)

    def clear(self) -> None:
        """Remove what an earlier call left that died half way; the logs stay until they are written anew."""
        for name in os.listdir(self._folder):
            if ".png" in name:
                remove_tree(os.path.join(self._folder, name))

    def take(self, stage: CheckTree, address: Address) -> None:
        """Start the server in the room, take the pictures, end everything."""
        ui = self._site.settings.ui
        pages, odd = locate_pages(address, ui.screenshots)
        self.findings += odd
        self._wanted = len(pages)
        browser = find_browser(self._site.environment, ui.browser)
        problem = stage.made.problem or browser.problem
        if problem or not pages:
            self.findings += (
                [unseen(problem, kind="environment" if stage.made.problem else "browser")] if problem else []
            )
            return
        log = os.path.join(self._folder, "server.log")
        order = ProgramOrder([ui.server], stage.workspace.path, stage.environment, log)
        with serve(order, address, ui.ready) as served:
            if served.problem:
                self.findings.append(unseen(served.problem, place=log))
            else:
                self._photograph(browser.program, stage, pages, served)

    def _photograph(self, program: str, stage: CheckTree, pages: list[Page], served: Served) -> None:
        log = os.path.join(self._folder, "browser.log")
        order = start_order(Browser(program), self._folder, stage.environment, log)
        album = take_pictures(order, [Page(page.name, with_port(page.url, served.port)) for page in pages])
        for number, shot in enumerate(album.shots, 1):
            self.findings += [odd_page(shot.page.name, remark) for remark in shot.remarks]
            if shot.picture:
                path = os.path.join(self._folder, f"{self._name}-{number}-{self._tree[:_SHORT]}.png")
                write_whole(path, shot.picture, mode=0o644)
                self.pictures.append(Picture(shot.page.name, path))
        if album.problem:
            self.findings.append(unseen(album.problem, kind="browser", place=log))
