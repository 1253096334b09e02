"""What people see: the project's server started on the work, pictures taken of it by a real browser, and the wait for a
person who has looked at them."""

import os

from planrail.base.run_model import WHOLE, Finding, Snapshot
from planrail.base.whole_files import write_whole
from planrail.git.tree_removal import remove_tree
from planrail.runs.checks.kept_programs import ProgramOrder
from planrail.runs.phases.viewpoints import Picture, View, odd_page, unseen
from planrail.runs.steps.site import At, Paused, Site
from planrail.runs.steps.workspaces import Workspaces
from planrail.runs.ui.browsers import find_browser, start_order
from planrail.runs.ui.dev_servers import Address, ShownPage, locate_pages, read_address, serve, with_port
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
        pictures, findings, wanted = list[Picture](), list[Finding](), 1
        address: Address | str = "the settings do not say where the server answers ([ui] url)"
        if not ui.server.strip():
            address = "the settings name no server to look at ([ui] server and url)"
        elif ui.url.strip():
            address = read_address(ui.url)
        if isinstance(address, str):
            findings.append(unseen(address))
        else:
            pages, odd = locate_pages(address, ui.screenshots)
            findings, wanted = odd, len(pages)
            try:
                self._take(at, snapshot, part, address, pages, pictures, findings)
            except OSError as error:
                findings.append(unseen(f"{error.strerror or error}", kind="environment"))
                wanted = wanted or 1
        is_awaited, is_whole = order.options.awaits_sign_off, len(pictures) >= wanted
        return View(snapshot.tree, tuple(pictures), tuple(findings), is_awaited, is_whole)

    def _take(
        self,
        at: At,
        snapshot: Snapshot,
        part: int,
        address: Address,
        pages: list[ShownPage],
        pictures: list[Picture],
        findings: list[Finding],
    ) -> None:
        """Start the server in the tree of the checks, take the pictures, end everything."""
        ui, folder = self._site.settings.ui, self._site.outputs(at, f"pictures-{part}")
        for name in os.listdir(folder):  # an earlier call died half way; its logs stay until they are written anew
            if ".png" in name:
                remove_tree(os.path.join(folder, name))
        stage = self._workspaces.open_stage(at, snapshot.commit, snapshot.base)
        browser = find_browser(self._site.environment, ui.browser)
        problem = stage.made.problem or browser.problem
        if problem or not pages:
            kind = "environment" if stage.made.problem else "browser"
            findings += [unseen(problem, kind=kind)] if problem else []
            return
        log, own = (os.path.join(folder, name) for name in ("server.log", "browser.log"))
        order = ProgramOrder([ui.server], stage.workspace.path, stage.environment, log)
        with serve(order, address, ui.ready) as served:
            if served.problem:
                findings.append(unseen(served.problem, place=log))
                return
            there = [ShownPage(page.name, with_port(page.url, served.port)) for page in pages]
            album = take_pictures(start_order(browser, folder, stage.environment, own), there)
        for number, shot in enumerate(album.shots, 1):
            findings += [odd_page(shot.page.name, remark) for remark in shot.remarks]
            if shot.picture:
                path = os.path.join(folder, f"P{at.name}-{number}-{snapshot.tree[:_SHORT]}.png")
                write_whole(path, shot.picture, mode=0o644)
                pictures.append(Picture(shot.page.name, path))
        if album.problem:
            findings.append(unseen(album.problem, kind="browser", place=own))

    def sign_off(self, at: At, view: View, part: int) -> bool:
        """Whether a person has signed off; raises `Paused` until then. False: the pictures are to be taken anew."""
        order, phase = self._site.order, at.phase.id
        with self._site.open_ledger() as ledger:
            if is_signed(ledger, order.plan, order.run, phase, self._early(at, part)):
                return True
        if self._site.is_resumed and not view.is_whole and at.key(f"pictures.{part}") not in self._fresh:
            return False
        text = f"phase {phase} changes what people see; a person has to look at it"
        if phase == WHOLE:
            text = "all phases have landed; a person has to look at what people see of them together"
        told = "; ".join(finding.text for finding in view.findings) if not view.pictures else ""
        raise Paused("paused", f"{text} ({told})" if told else text, f"planrail sign-off {order.path}")

    def _early(self, at: At, part: int) -> str:
        return early_place(self._site.folder, at.phase.id, at.attempt, part)
