"""An agent tries to approve its own plan; a person looks, in a clean environment, whether it has succeeded."""

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.approval.model import STRENGTHS
from tests.approval.attacks.attempts import STOPPED, SUCCEEDS, Attempt, load_attempts, render_table
from tests.approval.attacks.desks import TOOLS, Desk, open_desk
from tests.approval.attacks.terminal_host import YES
from tests.git.authenticator import Authenticator
from tests.git.middleware import build_middleware
from tests.support.lanes import sampled

ATTEMPTS = load_attempts()
PLAN = "plans/herons.md"
USES = {"in_session", "headless", "auto"}
_BROKEN = (
    "Traceback",
    "command not found",
    "No such file",
    "usage:",
)  # in what is shown: the attempt itself does not work


@pytest.fixture
def desk() -> Iterator[Desk]:
    """A desk of a person who has a key, which the machine's list of signers knows."""
    with open_desk() as made:
        lena = Authenticator(b"lena")
        (made.machine / "allowed_signers").write_text(f'lena@example.org namespaces="planrail" {lena.public_line}\n')
        (made.home / ".ssh").mkdir()
        lena.write_key(made.home / ".ssh" / "id_ed25519_sk")
        made.give_away(made.home)
        yield made


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The middleware, which the person's key needs. It runs in a shell, where each desk names its own interpreter."""
    return build_middleware(tmp_path_factory.mktemp("middleware"), "$PLANRAIL_TEST_PYTHON")


def demand(desk: Desk, strength: str) -> None:
    """Let the machine's settings ask for a strength everywhere."""
    lines = [f'{use} = "{strength}"' for use in sorted(USES)]
    (desk.machine / "planrail.toml").write_text("\n".join(["[approval]", "required = true", *lines]) + "\n")


def is_approved(desk: Desk, strength: str, plan: str = PLAN) -> bool:
    """Whether a person who looks finds the plan approved, where that strength is demanded."""
    demand(desk, strength)
    place = (desk.project / plan).resolve()
    project = next(folder for folder in place.parents if (folder / ".git").exists())
    done = desk.run_in(project, ["planrail", "list", "approvals", "--json"], {})
    assert done.returncode == 0, done.stdout + done.stderr
    seen = json.loads(done.stdout)
    uses = [set(found["enough_for"]) for found in seen["plans"] if (project / found["path"]).resolve() == place]
    return not seen["required"] or any(uses)


def approve(desk: Desk, *options: str, **environment: str) -> None:
    """The person approves the plan, in a window of their own."""
    shown, code = desk.at_window(["planrail", "approve", PLAN, *options], [YES], **environment)
    assert code == 0, shown


def sign(desk: Desk, library: Path) -> None:
    """The person approves the plan with their key, and touches it."""
    own = desk.programs / library.name
    shutil.copy(library, own)
    approve(desk, "--key", SSH_SK_PROVIDER=str(own), PLANRAIL_TEST_PYTHON=desk.python)


def reject(desk: Desk) -> None:
    """The person takes the approval back."""
    time.sleep(1)  # the ledger counts seconds
    shown, code = desk.at_window(["planrail", "reject", PLAN, "--feedback", "no"])
    assert code == 0, shown


def attempt_it(desk: Desk, attempt: Attempt) -> str:
    """Let the agent try; what was shown."""
    names = {"PLAN": PLAN, "MACHINE": str(desk.machine), "TOOLS": str(TOOLS)}
    if attempt.before == "reading":
        script = desk.base / "tmp" / "meanwhile.sh"
        script.write_text(f"cd '{desk.project}'\nPLAN={PLAN}\n{attempt.script}")
        return desk.at_window(["planrail", "approve", PLAN], [(*YES, ["sh", str(script)])])[0]
    if attempt.before == "run by the person":
        return desk.at_window(["sh", "-c", attempt.script], [], **names)[0]
    if attempt.before == "window":
        return desk.at_window(desk.agent_command(attempt.script, attempt.agent), [YES], **names)[0]
    done = desk.by_agent(attempt.script, name=attempt.agent, **names)
    if attempt.before == "tmux":
        desk.run(["tmux", "-L", "person", "kill-server"])
    return f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def prepare(desk: Desk, before: str, request: pytest.FixtureRequest) -> None:
    """What the person has done before the agent tries."""
    if before == "tmux":
        desk.run(["tmux", "-L", "person", "new-session", "-d", "-s", "work", "sh"])
    if before.startswith("approved"):
        approve(desk)
    if before.startswith("signed"):
        skip_without("root", desk)
        sign(desk, request.getfixturevalue("library"))
    if before.endswith("and rejected"):
        reject(desk)


def skip_without(needs: str, desk: Desk) -> None:
    """Skip what cannot be tried here."""
    if needs == "root" and not desk.as_user:
        pytest.skip("only root can keep a file from the agent")
    if (
        needs == "unshare"
        and desk.run(["unshare", "--user", "--map-current-user", "--pid", "--fork", "true"]).returncode
    ):
        pytest.skip("namespaces are not for ordinary users here")
    if needs not in ("", "root") and shutil.which(needs) is None:
        pytest.skip(f"{needs} is not here")


@pytest.mark.full
@pytest.mark.parametrize(
    "attempt",
    sampled(ATTEMPTS, *(attempt for attempt in ATTEMPTS if attempt.sample)),
    ids=[f"{number}" for number in range(1, len(ATTEMPTS) + 1)],
)
def test_an_attempt_ends_as_the_table_says(desk: Desk, attempt: Attempt, request: pytest.FixtureRequest) -> None:
    skip_without(attempt.needs, desk)
    demand(desk, "dialog")
    prepare(desk, attempt.before, request)
    shown = attempt_it(desk, attempt)
    assert not [sign for sign in _BROKEN if sign in shown], f"it was not tried at all: {shown}"
    found = {strength: is_approved(desk, strength, attempt.looks_at) for strength in STRENGTHS}
    expected = {strength: attempt.outcome(strength) == SUCCEEDS for strength in STRENGTHS}
    assert found == expected, f"{attempt.says}\n{shown}"


def test_with_a_key_no_attempt_succeeds() -> None:
    assert len(ATTEMPTS) >= 20
    assert {attempt.key for attempt in ATTEMPTS} == {STOPPED}


def test_a_stronger_demand_stops_all_that_a_weaker_one_stops() -> None:
    for attempt in ATTEMPTS:
        outcomes = [attempt.outcome(strength) for strength in STRENGTHS]
        assert outcomes == sorted(outcomes, key=lambda outcome: outcome == STOPPED), attempt.says


@pytest.mark.full
def test_a_persons_yes_at_a_terminal_counts_up_to_its_strength(desk: Desk) -> None:
    demand(desk, "dialog")
    approve(desk)
    assert [is_approved(desk, strength) for strength in STRENGTHS] == [True, True, False]


@pytest.mark.full
def test_a_persons_signed_yes_counts_everywhere(desk: Desk, library: Path) -> None:
    skip_without("root", desk)
    demand(desk, "dialog")
    sign(desk, library)
    assert [is_approved(desk, strength) for strength in STRENGTHS] == [True, True, True]


@pytest.mark.full
def test_a_person_who_types_no_approves_nothing(desk: Desk) -> None:
    demand(desk, "dialog")
    desk.at_window(["planrail", "approve", PLAN], [("approve\\?", "n\n")])
    assert not any(is_approved(desk, strength) for strength in STRENGTHS)


@pytest.mark.full
def test_a_list_of_signers_that_the_agent_can_write_gives_no_key_any_weight(desk: Desk) -> None:
    """Without the machine's list the user's own would be next, and the agent is a process of that user."""
    (desk.machine / "allowed_signers").unlink()
    folder = desk.home / ".config" / "planrail"
    script = f'mkdir -p "{folder}"; python "$TOOLS"/add_signer.py "{folder}/allowed_signers"; python "$TOOLS"/forge.py signed own'
    done = desk.by_agent(script, PLAN=PLAN, TOOLS=str(TOOLS))
    assert done.returncode == 0, done.stderr
    assert not any(is_approved(desk, strength) for strength in STRENGTHS)


def test_a_demand_that_stands_in_the_users_settings_alone_can_be_edited_away(desk: Desk) -> None:
    """Why the document asks for the machine's settings: here is what they prevent."""
    own = desk.home / ".config" / "planrail" / "planrail.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[approval]\nin_session = "key"\nheadless = "key"\nauto = "key"\n')
    desk.give_away(desk.home)
    script = f'"$TOOLS"/loosen.sh > "{own}"; python "$TOOLS"/forge.py insert dialog'
    desk.by_agent(script, PLAN=PLAN, TOOLS=str(TOOLS))
    seen = json.loads(desk.run(["planrail", "list", "approvals", "--json"]).stdout)
    assert not seen["required"]
    assert seen["plans"][0]["enough_for"]


@pytest.mark.full
def test_a_no_that_is_removed_from_the_ledger_brings_a_signed_yes_back(desk: Desk, library: Path) -> None:
    """The document says so: a signed yes holds for its text for good, and only the yes is signed."""
    skip_without("root", desk)
    demand(desk, "key")
    sign(desk, library)
    reject(desk)
    assert not is_approved(desk, "key")
    desk.by_agent('python "$TOOLS"/forge.py forget', PLAN=PLAN, TOOLS=str(TOOLS))
    assert is_approved(desk, "key")


def test_the_document_has_the_table_that_these_tests_hold() -> None:
    document = Path(__file__).parents[3] / "docs" / "approval.md"
    assert render_table(ATTEMPTS) in document.read_text(encoding="utf-8")
