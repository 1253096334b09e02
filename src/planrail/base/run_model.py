"""The nouns of a run: what is ordered, what each step found out, how it ended. All of them can be written down."""

from planrail.base.values import value

RULE = "rule"
WHOLE = "whole plan"  # what stands for a phase where all of them are meant


@value
class CheckOrder:
    """A command that has to succeed. `origin`: block, criterion, rule (of the plan), or tests (the project's own)."""

    command: str
    line: int
    origin: str


@value
class Execution:
    """How a phase is carried out. `kind`: workspace, direct or delegate; `to` names an agent, a skill or a command."""

    kind: str = "workspace"
    to: str = ""
    arguments: str = ""


@value
class PhaseOrder:
    """A phase as it was when the run began. `text` is verbatim; `scripts` are its `sh run` blocks, `fixes` those that
    the runbook agent fixes it by: `sh fix`."""

    id: str
    title: str
    text: str
    items: tuple[str, ...]
    criteria: tuple[str, ...]
    checks: tuple[CheckOrder, ...]
    scripts: tuple[str, ...]
    depends_on: tuple[str, ...] = ()
    execution: Execution = Execution()
    is_ui: bool = False
    state: str = "todo"  # as the document claims
    canonical: str = ""  # the hash that an approval holds
    fixes: tuple[str, ...] = ()
    stated_needs: tuple[str, ...] = ()  # of `depends_on`, what the document itself says
    unrun: tuple[tuple[str, str], ...] = ()  # what looks like a command among its criteria and is none, and why
    proofs: tuple[tuple[tuple[str, str], ...], ...] = ()  # the commands of each criterion, and why one is not run
    rules: tuple[str, ...] = ()  # the non-goals and constraints of the whole plan, which every phase keeps

    @property
    def own_checks(self) -> tuple[CheckOrder, ...]:
        """Those that can tell its work from the base: a rule is kept before as well."""
        return tuple(check for check in self.checks if check.origin != RULE)


@value
class Ceilings:
    """Limits; 0 is none. Money in dollars."""

    money: float = 0.0
    tokens: int = 0
    minutes: float = 0.0
    attempts: int = 0


@value
class Budget:
    """The ceilings of a plan, of each phase and of each attempt."""

    plan: Ceilings = Ceilings()
    phase: Ceilings = Ceilings()
    attempt: Ceilings = Ceilings()


@value
class Options:
    """What the person asked for, and what the settings say where they did not."""

    agent: str = "runbook"
    verifier: str = ""  # "": the same program as the agent, in a process of its own
    model: str = ""
    verifier_model: str = ""  # "": the agent's, for the same program
    landing: str = "cherry-pick"
    auto: bool = False
    finish: bool = False
    phase: str = ""  # "": the next one
    parallel: int = 1
    again: bool = False  # do the named phase once more, although it has landed
    with_unpushed: bool = False  # a pull request brings commits along that its remote lacks
    budget: Budget = Budget()
    branch_prefix: str = "feat/"
    main_protected: bool = False
    workspace: str = "clone"  # or "worktree"
    waits_for_limit: bool = False
    agent_minutes: int = 120
    verify_minutes: int = 45
    check_minutes: int = 30
    ui_files: tuple[str, ...] = ()  # globs of files that people see
    awaits_sign_off: bool = True  # what people see lands only after a person has looked at it
    asked: tuple[str, ...] = ()  # the words and options of the call behind the plan and the phase, as one types them


@value
class Contract:
    """What agents are told of the whole plan: its goal and design as (title, text), the documents that it stands on as
    (path, text). A text is "" where it is long and the agent has the file."""

    passages: tuple[tuple[str, str], ...] = ()
    documents: tuple[tuple[str, str], ...] = ()


@value
class Order:
    """A run, frozen: everything that it needs to know of the plan, the repository and the requests of a person."""

    run: str
    plan: str  # the identity of the plan
    path: str  # from the root, or absolute outside of it
    root: str
    slug: str
    title: str
    target: str  # refs/heads/NAME
    is_tracked: bool  # whether the target has the plan's file
    text_hash: str
    phases: tuple[PhaseOrder, ...]
    options: Options
    test_command: str = ""
    test_mode: str = "skipped"  # config or skipped
    approval: str = ""  # how it was approved; "" where settings let an unapproved plan run
    adopted: tuple[str, ...] = ()  # phases that were done before planrail's first run
    landed: tuple[str, ...] = ()  # phases that an earlier run has landed
    line: str = ""  # the ref that phases land on: the target, or the branch of a pull request
    workspaces: str = ""  # the folder of the private working trees, in which agents work
    check_folder: str = ""  # the folder of those in which checks are run
    base: str = ""  # the commit of the target when the run began
    issues: tuple[int, ...] = ()
    began: int = 0
    remote: str = ""  # the name of the remote whose target is the truth; "": work lands in this repository
    contract: Contract = Contract()
    unpushed: tuple[tuple[str, str], ...] = ()  # commits that a person lets travel, with their subjects


@value
class Workspace:
    """A private working tree at a base commit. `index` is planrail's own index of it, out of the agent's reach."""

    path: str
    base: str
    index: str
    begun: str = ""  # the commit with the unproven work of an earlier attempt that its files began with
    told: str = ""  # what people are told of that work, or why it was not used


@value
class CheckRun:
    """Evidence: a command that planrail ran itself on a tree. `tail` is the end of its output."""

    command: str
    origin: str
    line: int
    tree: str
    exit: int  # -1: it ran out of time
    seconds: float
    output_hash: str
    output: str  # the file that has all of it
    tail: str = ""
    confined: str = ""  # by what, or "none, because …"; "": by an earlier version, which could not


@value
class Baseline:
    """What the untouched base says: each check, the tests, and how the environment was made."""

    base: str
    runs: tuple[CheckRun, ...]
    provisioned: str = ""  # what was done, for the report
    problem: str = ""  # why the environment could not be made
    uncollected: str = ""  # why the tests say nothing: the line of their output


@value
class Work:
    """What an agent did. `text` is its last word; all that it said is in the log."""

    ok: bool
    text: str = ""
    reason: str = ""  # as `agents.model.Outcome` says it
    error: str = ""
    conversation: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    resets_at: int = 0  # when a usage limit ends, in seconds; 0 where that is not known
    log: str = ""
    structured: str = ""  # the answer by a schema, as JSON
    overhead: int = 0  # about how many tokens it was told beside the text of the phase
    confined: str = ""  # as in `CheckRun`


@value
class Snapshot:
    """The work of an agent as a commit on its base. `paths` are the files that differ."""

    commit: str
    tree: str
    base: str
    paths: tuple[str, ...]


@value
class Finding:
    """Something that speaks against a phase (`is_failure`), or that people should know."""

    kind: str
    text: str
    place: str = ""
    is_failure: bool = True


@value
class Evidence:
    """The checks on a tree, and what follows from them."""

    tree: str
    runs: tuple[CheckRun, ...]
    findings: tuple[Finding, ...] = ()
    agent_confined: str = ""  # how the agent was whose work this is

    @property
    def confined(self) -> str:
        """In what the agent and the checks were held, or why in nothing; "" where nobody knows."""
        checks = "; ".join(dict.fromkeys(run.confined for run in self.runs if run.confined))
        told = {name: held for name, held in (("agent", self.agent_confined), ("checks", checks)) if held}
        if len({*told.values()}) == 1:
            return next(iter(told.values()))
        return "; ".join(f"{name}: {held}" for name, held in told.items())

    @property
    def failures(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.is_failure)


@value
class ItemVerdict:
    """A verifier's word on one work item or criterion. `place` is FILE:LINE, or a command that it ran."""

    item: str
    verdict: str  # done, failed, unread
    place: str = ""
    note: str = ""


@value
class Verdict:
    """The word of a verifier, judged. `by` names the verifier: an agent, or the checks themselves."""

    passed: bool
    by: str
    items: tuple[ItemVerdict, ...] = ()
    problems: tuple[str, ...] = ()
    work: Work | None = None


@value
class DriftRecord:
    """A number in the plan that reality contradicts."""

    phase: str
    bullet: int
    field: str
    stated: str
    actual: str


@value
class DriftOutcome:
    """What was decided about the drift of a phase. `edits` are (start, end, old, new) splices of the plan's text."""

    records: tuple[DriftRecord, ...] = ()
    edits: tuple[tuple[int, int, str, str], ...] = ()
    notes: tuple[str, ...] = ()
    abort: str = ""
    asks: str = ""  # what a person has to agree to


@value
class Candidate:
    """The commit that is to land, built apart from every checkout, on the target as it is now."""

    commit: str
    tree: str
    onto: str


@value
class Proof:
    """Whether a candidate has every verified hunk, loses nothing of the target, and changes nothing else."""

    ok: bool
    problems: tuple[str, ...] = ()


@value
class Landing:
    """Where the work is now. `state`: landed, waiting (on a branch), pr-ready, pr-ci-failing, pr-failed, conflict,
    moved (the target is another one by now: build the candidate anew), refused."""

    state: str
    commit: str = ""
    ref: str = ""
    message: str = ""
    command: str = ""  # what a person can type to go on
    url: str = ""


@value
class PhaseEnd:
    """How an attempt of a phase ended: landed, paused, parked, failed.

    `reason` says why it did not land: refused, usage, unreadable, budget, limit, timeout, agent, nothing_done, checks,
    verdict, drift, conflict, redone, proof, moved, stopped, forge, sign_off, environment, overall.
    """

    phase: str
    state: str
    reason: str = ""
    text: str = ""
    commit: str = ""
    command: str = ""
    until: int = 0  # parked until then
    unread: int = 0  # criteria that nobody has judged: it was proven by its checks alone


@value
class Refusal:
    """Why something is not done. `reason` is as in `PhaseEnd`."""

    reason: str
    text: str
    command: str = ""


YIELDED = "yielded"  # the state of a run that lets others work, and goes on when it is its turn again


@value
class Ending:
    """How a run ended, or why it rests. `state`: complete, phase_done, paused, parked, waiting (to land), yielded,
    stopped, failed, declined."""

    state: str
    text: str
    command: str
    phase: str = ""
    until: int = 0
    at: float = 0.0  # when; 0: an earlier planrail wrote it
