"""Landing by a pull request: each phase is pushed and shown in its body; the last one is merged, if that is wanted.

The forge remembers what was done, so all of this can be done again after a crash.
"""

from planrail.engine.finishing import WHOLE
from planrail.engine.lines import close_line, find_tip, land_remotely, lower_line_fence
from planrail.errors import PlanrailError
from planrail.records import replace
from planrail.repo.candidates import build_candidate, read_author
from planrail.repo.forge import close_issue
from planrail.repo.forge_checks import Waiting
from planrail.repo.forge_places import locate_forge
from planrail.repo.forge_steps import MergeWish, checks_step, cleanup_step, confirm_step, merge_step, pr_step, push_step
from planrail.repo.git_writing import ask_git, run_git
from planrail.repo.proofs import prove
from planrail.repo.pushing import Upstream, fetch_ref, holds, remote_of
from planrail.repo.repository_lock import hold
from planrail.repo.work_snapshots import tree_of
from planrail.runs.landing.deciding import Conflict
from planrail.runs.landing.pr_body import write_body, write_title
from planrail.runs.landing.pr_values import Pushed, RequestOrder
from planrail.runs.landing.pull_requests import Patience, describe_landing
from planrail.runs.model import Candidate, Landing, Snapshot
from planrail.runs.workshop import At

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.engine.book import Book
    from planrail.engine.landings import Landings
    from planrail.engine.site import Site
    from planrail.repo.forge_places import Forge
    from planrail.runs.landing.pr_values import MergeProof, PullRequest
    from planrail.runs.model import PhaseOrder

_MOST_REBASES = 5


class Publishing:
    """Pull requests of a run."""

    def __init__(self, site: "Site", book: "Book", landings: "Landings") -> None:
        self._site, self._book, self._landings = site, book, landings

    def publish(self, phase: "PhaseOrder", at: "At", landing: Landing) -> Landing:
        """See `Workshop.publish`."""
        forge, remote, base = self._locate()
        verified = self._verified(remote, base)
        refused = self._push(remote, verified)
        if refused is not None:
            return refused
        request = pr_step(forge, self._order_request(verified.commit, base, phase.id))
        text = f"pull request #{request.number} has phase {phase.id}: {request.url}"
        return Landing("pr-ready", verified.commit, message=text, url=request.url)

    def merge(self, done: tuple[str, ...]) -> Landing:
        """See `Workshop.merge`. A target that moved is built upon, and the whole verified anew."""
        forge, remote, base = self._locate()
        for _ in range(_MOST_REBASES):
            landing = self._bring_to_end(forge, remote, base)
            if landing.state != "moved":
                return landing
            refused = self._rebase(At(WHOLE, 1), remote, base)
            if refused is not None:
                return refused
        return Landing("pr-ready", message="the target moves faster than this work can be verified anew")

    def _locate(self) -> "tuple[Forge, str, str]":
        """The forge, the remote that it is known by, and the branch there that the work is for."""
        order = self._site.order
        told = Upstream(order.remote, order.target.removeprefix("refs/heads/")) if order.remote else None
        upstream = told or remote_of(self._site.root, order.target)
        if upstream is None:
            raise PlanrailError("there is no remote to open a pull request at", remedy="git remote add origin URL")
        return locate_forge(self._site.root, upstream.remote), upstream.remote, upstream.branch

    def _bring_to_end(self, forge: "Forge", remote: str, base: str) -> Landing:
        verified = self._verified(remote, base)
        if verified.commit == verified.base:
            return Landing("landed", verified.commit, message="the target has all of it already")
        refused = self._push(remote, verified)
        if refused is not None:
            return refused
        request = pr_step(forge, self._order_request(verified.commit, base, ""))
        return self._merge(forge, remote, base, verified, request)

    def _merge(self, forge: "Forge", remote: str, base: str, verified: Snapshot, request: "PullRequest") -> Landing:
        options, waiting = self._site.order.options, Waiting(self._site.watcher.note)
        patience = Patience(limit=self._site.settings.run.ci_timeout * 60)
        checks = checks_step(forge, verified, waiting, patience)
        wish = MergeWish(base, options.auto, self._site.settings.run.merge, patience)
        answer = merge_step(self._site.root, forge, request.number, verified, checks, wish, waiting)
        if answer.state != "merged":
            return self._unmerged(describe_landing(answer), verified, request)
        proof = confirm_step(self._site.root, forge, request.number, verified, base, prove, waiting)
        if proof.state == "landed" and not proof.is_exact:
            seen = self._landings.check_whole(At(WHOLE, 1), proof.commit)
            if not seen.ok:
                text = f"#{request.number} was merged onto a target that moved, and does not hold there: "
                return Landing("pr-failed", proof.commit, message=text + "; ".join(seen.problems), url=request.url)
        if proof.state == "landed":
            self._settle(forge, remote, verified, request, proof)
        return describe_landing(answer, proof)

    def _unmerged(self, landing: Landing, verified: Snapshot, request: "PullRequest") -> Landing:
        """A request that waits: for a person, or for checks that are green."""
        command = landing.command or f"gh pr merge {request.number}"
        text = f"{landing.message}: {request.url}"
        return replace(landing, commit=verified.commit, message=text, command=command, url=request.url)

    def _settle(
        self, forge: "Forge", remote: str, verified: Snapshot, request: "PullRequest", proof: "MergeProof"
    ) -> None:
        """What is left to do when the request has been merged: its branch, its phases, its issues."""
        cleanup_step(self._site.root, remote, self._branch, verified, proof)
        close_line(self._site, verified.commit)
        lower_line_fence(self._site)
        self._book.land_all(proof.commit)
        self._close_issues(forge, request)

    def _close_issues(self, forge: "Forge", request: "PullRequest") -> None:
        """The issues that the plan names are done with it."""
        order = self._site.order
        for number in order.issues:
            comment = f"Done by the plan `{order.path}`, merged in #{request.number}."
            answer = close_issue(forge, number, comment, order.run)
            if answer.state == "failed":
                self._site.watcher.note(f"issue #{number} could not be closed: {answer.message}")

    # ---- the branch ----

    @property
    def _branch(self) -> str:
        return self._site.order.line.removeprefix("refs/heads/")

    def _verified(self, remote: str, base: str) -> Snapshot:
        """The whole of the branch, as it was verified phase by phase."""
        root, tip = self._site.root, find_tip(self._site)
        target = fetch_ref(root, remote, base) or self._site.order.target
        start = run_git(root, "merge-base", tip, target).strip()
        paths = run_git(root, "diff-tree", "-r", "-z", "--name-only", "--no-renames", start, tip, "--").split("\0")
        return Snapshot(tip, tree_of(root, tip), start, tuple(path for path in paths if path))

    def _push(self, remote: str, verified: Snapshot) -> Landing | None:
        """Put the branch on the remote; only over what was there before it, never over the work of others."""
        there = fetch_ref(self._site.root, remote, self._branch) or ""
        if there and not self._is_ours(there, verified.commit):
            text = f"{remote}/{self._branch} has commits that planrail did not make; nothing was pushed"
            return Landing("pr-failed", verified.commit, message=text, command=f"git fetch {remote} {self._branch}")
        if self._site.order.remote:  # its phases landed there already, one by one
            moved = there != verified.commit
            return self._move_remote(Candidate(verified.commit, verified.tree, there)) if moved else None
        pushed = push_step(self._site.root, remote, self._branch, verified.commit, there)
        if isinstance(pushed, Pushed):
            return None
        return Landing("pr-failed", verified.commit, message=pushed.reason, command=pushed.remedy)

    def _is_ours(self, there: str, commit: str) -> bool:
        """Whether what the remote has is a part of our branch, or was before it was built anew on a moved target."""
        log = ask_git(self._site.root, "log", "-g", "--format=%H", self._site.order.line, "--") or ""
        return holds(self._site.root, commit, there) or there in log.split()

    def _rebase(self, at: "At", remote: str, base: str) -> Landing | None:
        """Build the commits of the branch anew on the target, verify the whole, and move the branch."""
        root = self._site.root
        old, onto = self._verified(remote, base), fetch_ref(root, remote, base)
        assert onto is not None  # the target was there a moment ago
        self._site.watcher.note("the target has moved: the branch is built anew on it, and verified once more")
        new = onto
        for commit in run_git(root, "rev-list", "--reverse", f"{old.base}..{old.commit}", "--").split():
            built = self._pick(commit, new)
            if isinstance(built, Conflict):
                text = f"the target has changed the same places: {built.text}"
                return Landing(
                    "conflict", old.commit, message=text, command=f"git rebase {remote}/{base} {self._branch}"
                )
            new = built.commit
        proof = self._landings.check_whole(at, new)
        if not proof.ok:
            return Landing("pr-failed", old.commit, message="on the moved target: " + "; ".join(proof.problems))
        return self._move(Candidate(new, "", old.commit))

    def _move(self, candidate: Candidate) -> Landing | None:
        """Move the branch to where it was built anew; where a remote has it, there first."""
        if self._site.order.remote:
            return self._move_remote(candidate)
        told = ("-m", "planrail: built anew", "--create-reflog")
        with hold(self._site.lock):
            run_git(self._site.root, "update-ref", *told, self._site.order.line, candidate.commit, candidate.onto)
        return None

    def _move_remote(self, candidate: Candidate) -> Landing | None:
        landing = land_remotely(self._site, candidate)
        return None if landing.state == "landed" else replace(landing, state="pr-failed")

    def _pick(self, commit: str, onto: str) -> Candidate | Conflict:
        root = self._site.root
        parent, message = run_git(root, "show", "-s", "--format=%P%n%B", commit).split("\n", 1)
        paths = run_git(root, "diff-tree", "-r", "-z", "--name-only", "--no-renames", parent, commit, "--").split("\0")
        snapshot = Snapshot(commit, tree_of(root, commit), parent, tuple(path for path in paths if path))
        author, now = read_author(root), int(self._site.now())
        return build_candidate(root, snapshot, onto, message.strip() + "\n", {}, author=author, at=now)

    # ---- the request ----

    def _order_request(self, head: str, base: str, phase: str) -> RequestOrder:
        """What the request should be, with this phase done."""
        order, commits = self._site.order, self._book.landed_commits()
        done = {*commits, *order.landed, *order.adopted, phase}
        rows = tuple(
            (known.id, known.title, "done" if known.id in done else "todo", commits.get(known.id, ""))
            for known in order.phases
        )
        whole = write_title(order.slug, order.title)
        single = {known.id: write_title(order.slug, known.title, known.id) for known in order.phases}
        title = single.get(order.options.phase, whole)
        former = tuple(name for name in (whole, *single.values()) if name != title)
        body = write_body(order.title, order.path, order.issues, rows)
        return RequestOrder(self._branch, head, base, title, body, rows, former)
