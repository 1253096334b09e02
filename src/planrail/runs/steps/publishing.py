"""Landing by a pull request: each phase is pushed and shown in its body; the last one is merged, if that is wanted.

The forge remembers what was done, so all of this can be done again after a crash.
"""

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.run_model import Candidate, Landing, Snapshot
from planrail.git.git_writing import ask_git, hold, run_git
from planrail.git.object_store import read_changes
from planrail.git.remotes.pushing import delete_branch, fetch_ref, holds, note_pushed
from planrail.git.remotes.request_values import MergeProof, PullRequest, Pushed, RequestOrder
from planrail.git.workspaces.work_snapshots import changed_paths, tree_of
from planrail.runs.evidence.running_files import find_running, list_running
from planrail.runs.forge import steps
from planrail.runs.forge.forge import close_issue
from planrail.runs.forge.meeting import find_meetings
from planrail.runs.forge.pr_body import write_body, write_title
from planrail.runs.forge.pull_requests import MergeTerms, Patience, Waiting, describe_landing
from planrail.runs.forge.steps import checks_step, confirm_step, merge_step, pr_step, push_step
from planrail.runs.landing.candidates import Conflict, build_candidate
from planrail.runs.landing.proofs import prove
from planrail.runs.steps.judging import Judging
from planrail.runs.steps.lines import close_line, find_tip, land_remotely, lower_line_fence, repository_lock
from planrail.runs.steps.site import At, Site
from planrail.store.runs.run_facts import add_fact, phase_states

_MOST_REBASES = 5
_ON_THE_LINE = ("landed", "done", "merged", "pr-ready")


class Publishing:
    def __init__(self, site: Site, judging: Judging) -> None:
        self._site, self._judging = site, judging
        self._branch = site.order.line.removeprefix("refs/heads/")
        # where the branch is kept as planrail built it anew: all that is in it was looked at before
        self._rebuilt = f"refs/planrail/runs/{site.order.run}/rebuilt"

    def publish(self, at: At, landing: Landing) -> Landing:
        phase, place = at.phase, self._locate()
        verified = self._verified(place)
        refused = self._push(place, verified)
        if refused is not None:
            return refused
        request = self._show(place, verified, phase.id)
        text = f"pull request #{request.number} has phase {phase.id}: {request.url}"
        return Landing("pr-ready", verified.commit, message=text, url=request.url)

    def merge(self, done: tuple[str, ...]) -> Landing:
        """Bring the pull request of all phases to its end: checks awaited, merged if that is wanted, proven.

        A target that moved is built upon, and the whole verified anew.
        """
        place = self._locate()
        for _ in range(_MOST_REBASES):
            verified = self._verified(place)
            if verified.commit == verified.base:
                return Landing("landed", verified.commit, message="the target has all of it already")
            refused = self._push(place, verified)
            if refused is not None:
                return refused
            landing = self._merge(place, verified, self._show(place, verified, ""))
            if landing.state != "moved":
                return landing
            refused = self._rebase(place)
            if refused is not None:
                return refused
        return Landing("pr-ready", message="the target moves faster than this work can be verified anew")

    def _locate(self) -> steps.RequestPlace:
        return steps.locate_request(self._site.root, self._site.order.target, self._site.order.remote)

    def _merge(self, place: steps.RequestPlace, verified: Snapshot, request: PullRequest) -> Landing:
        forge, base = place.forge, place.branch
        options, waiting = self._site.order.options, Waiting(self._site.watcher.note)
        patience = Patience(limit=self._site.settings.run.ci_timeout * 60)
        checks = checks_step(forge, verified, waiting, patience)
        if options.auto and request.state == "open" and (met := find_meetings(forge, request, verified.paths)):
            text = f"it is not merged, since open requests meet it: {'; '.join(map(str, met))}: {request.url}"
            told = f"{text}; merge those first, or this one by hand"
            command = f"gh pr merge {request.number} --match-head-commit {verified.commit}"
            return Landing("pr-ready", verified.commit, message=told, command=command, url=request.url)
        terms = MergeTerms(base, options.auto, self._site.settings.run.merge, patience)
        answer = merge_step(self._site.root, forge, request.number, verified, checks, terms, waiting)
        if answer.state != "merged":
            landing = describe_landing(answer)  # it waits: for a person, or for checks that are green
            more = {"command": landing.command or f"gh pr merge {request.number}", "url": request.url}
            return replace(landing, commit=verified.commit, message=f"{landing.message}: {request.url}", **more)
        proof = confirm_step(self._site.root, forge, request.number, verified, base, prove, waiting)
        if proof.state == "landed" and not proof.is_exact:
            seen = self._judging.check_whole(proof.commit)
            if not seen.ok:
                text = f"#{request.number} was merged onto a target that moved, and does not hold there: "
                return Landing("pr-failed", proof.commit, message=text + "; ".join(seen.problems), url=request.url)
        if proof.state != "landed":
            return describe_landing(answer, proof)
        self._settle(place, verified, request, proof)
        order, branch = self._site.order, self._site.order.target.removeprefix("refs/heads/")
        advice = steps.advise_after_merge(order.unpushed, order.base, branch, forge.base_remote, place.name)
        return replace(describe_landing(answer, proof), command=advice)

    def _settle(self, place: steps.RequestPlace, verified: Snapshot, request: PullRequest, proof: MergeProof) -> None:
        """What is left to do when the request has been merged: its branch, its phases, its issues."""
        delete_branch(self._site.root, place.remote, self._branch, verified.commit, proof)
        close_line(self._site, verified.commit)
        lower_line_fence(self._site)
        order, now = self._site.order, int(self._site.now())
        with self._site.open_ledger() as ledger:
            for name, fact in phase_states(ledger, order.plan).items():
                if fact.state == "pr-ready":
                    landed = replace(fact, state="landed", commit=proof.commit, text="its pull request was merged")
                    key = f"{fact.run}/phase/{name}/{fact.attempt}/merged"
                    add_fact(ledger, order.plan, landed, key=key, at=now)
        for number in order.issues:
            comment = f"Done by the plan `{order.path}`, merged in #{request.number}."
            answer = close_issue(place.forge, number, comment, order.run)
            if answer.state == "failed":
                self._site.watcher.note(f"issue #{number} could not be closed: {answer.message}")

    # ---- the branch ----

    def _verified(self, place: steps.RequestPlace) -> Snapshot:
        """The whole of the branch, as it was verified phase by phase."""
        root, tip = self._site.root, find_tip(self._site)
        target = steps.fetch_base(root, place)
        start = run_git(root, "merge-base", tip, target).strip()
        return Snapshot(tip, tree_of(root, tip), start, tuple(changed_paths(root, start, tip)))

    def _push(self, place: steps.RequestPlace, verified: Snapshot) -> Landing | None:
        """Put the branch on the remote; only over what was there before it, never over the work of others, and nothing
        that is not planrail's own unless the request has it already or a person said so."""
        remote = place.remote
        there = fetch_ref(self._site.root, remote, self._branch) or ""
        order, root = self._site.order, self._site.root
        rebuilt = (ask_git(root, "rev-parse", "--verify", "--quiet", self._rebuilt) or "").strip()
        known = [commit for commit in (place.fetched, there, rebuilt) if commit]
        strange = steps.list_strange(root, order.plan, verified.commit, known, {one for one, _ in order.unpushed})
        if strange:
            again = f"git push {place.remote} {self._branch}, then planrail run {order.path}"
            refusal = steps.refuse_strange(strange, self._branch, again)
            return Landing("pr-failed", verified.commit, message=refusal.text, command=refusal.command)
        # a part of our branch, or what that was before it was built anew on a moved target
        log = ask_git(self._site.root, "log", "-g", "--format=%H", self._site.order.line, "--") or ""
        if there and not holds(self._site.root, verified.commit, there) and there not in log.split():
            text = f"{remote}/{self._branch} has commits that planrail did not make; nothing was pushed"
            return Landing("pr-failed", verified.commit, message=text, command=f"git fetch {remote} {self._branch}")
        if self._site.order.remote:  # its phases landed there already, one by one
            moved = there != verified.commit
            return self._move_remote(Candidate(verified.commit, verified.tree, there)) if moved else None
        pushed = push_step(self._site.root, remote, self._branch, verified.commit, there)
        if isinstance(pushed, Pushed):
            note_pushed(self._site.root, remote, self._branch, verified.commit)
            return None
        return Landing("pr-failed", verified.commit, message=pushed.reason, command=pushed.remedy)

    def _rebase(self, place: steps.RequestPlace) -> Landing | None:
        """Build the commits of the branch anew on the target, verify the whole, and move the branch."""
        root = self._site.root
        old, onto = self._verified(place), steps.fetch_base(root, place)
        by_hand = f"git rebase {place.name} {self._branch}"
        if run_git(root, "rev-list", "--min-parents=2", f"{old.base}..{old.commit}", "--"):
            text = f"{place.name} has moved, and {self._branch} has merges, which planrail does not build anew"
            return Landing("conflict", old.commit, message=text, command=by_hand)
        self._site.watcher.note("the target has moved: the branch is built anew on it, and verified once more")
        new = onto
        for commit in run_git(root, "rev-list", "--reverse", f"{old.base}..{old.commit}", "--").split():
            parent, author, message = run_git(root, "show", "-s", "--format=%P%n%an <%ae>%n%B", commit).split("\n", 2)
            snapshot = Snapshot(commit, tree_of(root, commit), parent, tuple(changed_paths(root, parent, commit)))
            now, words = int(self._site.now()), message.strip() + "\n"
            built = build_candidate(root, snapshot, new, words, {}, author=author, at=now)
            if isinstance(built, Conflict):
                text = f"the target has changed the same places: {built.text}"
                return Landing("conflict", old.commit, message=text, command=by_hand)
            new = built.commit
        proof = self._judging.check_whole(new)
        if not proof.ok:
            return Landing("pr-failed", old.commit, message="on the moved target: " + "; ".join(proof.problems))
        run_git(root, "update-ref", self._rebuilt, new)
        if self._site.order.remote:
            return self._move_remote(Candidate(new, "", old.commit))
        told = ("-m", "planrail: built anew", "--create-reflog")
        with hold(repository_lock(root)):
            run_git(root, "update-ref", *told, self._site.order.line, new, old.commit)
        return None

    def _move_remote(self, candidate: Candidate) -> Landing | None:
        landing = land_remotely(self._site, candidate)
        return None if landing.state == "landed" else replace(landing, state="pr-failed")

    # ---- the request ----

    def _show(self, place: steps.RequestPlace, verified: Snapshot, phase: str) -> PullRequest:
        """Open or update the request. Where that fails, its branch is on the remote all the same, and that is said."""
        try:
            return pr_step(place.forge, self._order_request(verified.commit, place.branch, phase))
        except PlanrailError as error:
            error.message += f"; the branch {self._branch} is on {place.remote} already"
            raise

    def _order_request(self, head: str, base: str, phase: str) -> RequestOrder:
        order = self._site.order
        with self._site.open_ledger() as ledger:
            states = phase_states(ledger, order.plan)
        commits = {name: fact.commit for name, fact in states.items() if fact.state in _ON_THE_LINE}
        done = {*commits, *order.landed, *order.adopted, phase}
        rows = tuple(
            (known.id, known.title, "done" if known.id in done else "todo", commits.get(known.id, ""))
            for known in order.phases
        )
        # the files of the branch that run things, which the plan named: the reviewer should see them by name
        fork = run_git(order.root, "merge-base", head, order.base or order.target).strip()
        paths = [path for path in changed_paths(order.root, fork, head) if find_running(path) is not None]
        running = list_running(paths, read_changes(order.root, fork, head, paths), {})
        rows += tuple((known.path, known.what, "⚠️ named by the plan", "") for _, known in running)
        whole = write_title(order.slug, order.title)
        single = {known.id: write_title(order.slug, known.title, known.id) for known in order.phases}
        title = single.get(order.options.phase, whole)
        former = tuple(name for name in (whole, *single.values()) if name != title)
        body = write_body(order.title, order.path, order.issues, rows, order.unpushed)
        return RequestOrder(self._branch, head, base, title, body, rows, former, order.unpushed)
