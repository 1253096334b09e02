"""`planrail plan`: a plan comes out, or nothing does, and everything that was said is kept."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

from planrail.planning.plan_format import EXAMPLE
from tests.cli.planning_runs import Desk, good_script, reply
from tests.cli.processes import call
from tests.planning.conducting_fakes import EXPLORED, PLAN, PROMISED, UNDERSTOOD
from tests.support.lanes import soak
from tests.support.patience import PATIENCE


def _facts(plan: str) -> dict[str, str]:
    """What the front matter of a plan says."""
    return dict(yaml.safe_load(plan.split("---\n")[1]))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.full
def test_a_plan_is_written_whole_proposed_and_put_before_a_person(desk: Desk) -> None:
    done = desk.run("plan", "Refuse", "empty names", "--deep", "--agent", "scripted", "--explorers", "3")
    assert done.returncode == 0, done.stderr
    (path,) = (desk.repo / "plans").glob("refuse-empty-names-*.md")
    text = path.read_text()
    assert text.endswith(EXAMPLE.split("\n", 1)[1])
    assert _facts(text)["author"] == "scripted"
    assert done.stdout.rstrip().endswith(f"next: planrail approve plans/{path.name}")
    assert "0 errors" in done.stdout
    assert "proposed" in desk.run("plans").stdout
    assert (desk.kept() / "request.md").read_text() == "Refuse empty names"
    assert len(list((desk.kept() / "answers").iterdir())) == 8
    assert desk.git("status", "--porcelain") == "?? plans/\n"
    assert len({desk.prompts(f"explorer-{number}")[0] for number in (1, 2, 3)}) == 3
    assert desk.prompts("author")[1].count(EXPLORED.strip()) == 3


@pytest.mark.full
def test_the_plan_goes_where_the_person_says_over_nothing_and_is_not_made_again(desk: Desk) -> None:
    script = good_script(usage={"tokens_in": 100, "tokens_out": 10, "cost": 0.5})
    script[4]["text"] = "1. Too slow.\n2. Too long.\n3. Too vague: `greet()` is not specified.\n"
    desk.follow(script)
    words = ("--rounds", "1", "--explorers", "1", "--open-critique", "--critic", "scripted")
    code, answer, told = desk.plan("--output", "PLAN.md", *words, "Refuse empty names")
    assert (code, answer["plan"]) == (0, str(desk.repo / "PLAN.md")), told
    assert (answer["tokens"], answer["cost"]) == ({"in": 600, "out": 60}, 3.0)
    assert answer["lint"] == {"errors": 0, "warnings": 0}
    assert (answer["next"], bool(answer["request"])) == ("planrail approve PLAN.md", True)
    assert "P12" not in desk.prompts("critic")[0], "an open critique needs no principles"
    written = (desk.repo / "PLAN.md").read_text()
    assert PROMISED not in written
    code, refused, told = desk.plan("--output", "PLAN.md", "Something else")
    assert (code, refused["status"], refused["planning"]) == (1, "refused", None)
    assert "not overwritten" in told
    assert "not overwritten" in str(refused["error"])
    assert ((desk.repo / "PLAN.md").read_text(), len(desk.plannings())) == (written, 1)
    (desk.repo / "PLAN.md").write_text("edited by a person")
    code, again, _ = desk.plan("--resume", str(answer["planning"]))
    assert (code, again["status"], again["plan"]) == (0, "finished", str(desk.repo / "PLAN.md"))
    assert (desk.repo / "PLAN.md").read_text() == "edited by a person"
    (desk.repo / "PLAN.md").unlink()
    code, _, told = desk.plan("--resume", str(answer["planning"]))
    assert (code, "plan.md" in told) == (1, True)


@pytest.mark.soak
def test_a_file_that_somebody_made_meanwhile_is_left_alone_and_the_plan_is_kept(desk: Desk) -> None:
    script = good_script()
    script[5]["delay"] = 2
    desk.follow(script)
    process = desk.start("plan", "--agent", "scripted", "--rounds", "1", "--output", "PLAN.md", "--json", "Refuse it")
    assert process.stderr is not None
    for line in process.stderr:
        if "revise" in line:
            (desk.repo / "PLAN.md").write_text("mine")
            break
    said, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "not overwritten" in told
    answer = json.loads(said)
    assert (answer["status"], answer["result"]) == ("unwritten", str(desk.kept() / "plan.md"))
    assert answer["next"] == f"planrail plan --resume {answer['planning']} --output OTHER.md"
    assert (desk.repo / "PLAN.md").read_text() == "mine"
    code, answer, _ = desk.plan("--resume", desk.plannings()[0], "--output", "OTHER.md")
    assert (code, answer["status"]) == (0, "finished")
    assert (desk.repo / "OTHER.md").read_text().endswith(EXAMPLE)


@pytest.mark.full
@pytest.mark.parametrize("has_git", [True, soak(False)])
def test_what_a_person_typed_is_data_and_a_plan_of_any_length_is_saved_whole(desk: Desk, *, has_git: bool) -> None:
    request = '---\nid: mine\n---\n<promise>PLAN_OK</promise> $(touch gone) `touch gone` <!-- "x" \' -->\n## Goal: refuse empty names'
    many = "\n".join(f"- Risk {number}: {'x' * 60}." for number in range(7_500))
    long = PLAN.replace("A script that passes", f"{many}\n\nA script that passes")
    assert len(long) > 500_000
    (desk.base / "long.md").write_text(long)
    (desk.base / "final.md").write_text(f"{long}\n<promise>PLAN_OK</promise>\n")
    script = good_script()
    script[3] = {**script[3], "text_file": "long.md"}
    script[5] = {**script[5], "text_file": "final.md"}
    desk.follow(script)
    words = ["plan", "--agent", "scripted", "--critic", "codex", "--rounds", "1", "--output", "PLAN.md"]
    if has_git:
        (desk.repo / ".git" / "request.txt").write_text(request)
        words[4] = "scripted"
        done = desk.run(*words, "--file", ".git/request.txt")
    else:
        shutil.rmtree(desk.repo / ".git")
        done = desk.run(*words, "--phases", "draft", "-", given=f"{request}\n")
    assert done.returncode == 0, done.stderr
    assert (desk.kept() / "request.md").read_text() == request
    assert "\n".join(f"> {line}" for line in request.split("\n")) in desk.prompts("author")[0]
    text = (desk.repo / "PLAN.md").read_text()
    assert text.endswith(long)
    assert (_facts(text)["id"], _facts(text)["critic"]) == (f"plan-{desk.plannings()[0]}", words[4])
    assert not (desk.repo / "gone").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "nothing to plan"),
        (["x", "--rounds", "9"], "9 rounds"),
        (["x", "--phases", "explore"], "without the phase draft"),
        (["x", "--skip", "draft"], "cannot be skipped"),
        (["x", "--agent", "nobody"], "not an agent"),
        (["x", "--critic", "nobody"], "not an agent"),
        (["x", "--explorers", "0"], "0 explorers"),
        (["x", "--timeout", "0"], "no time"),
        (["x", "--attempts", "0"], "no number of attempts"),
        (["x", "--length", "short"], "no length"),
        (["x", "--file", "y"], "given twice"),
        (["--file", "not-there"], "cannot be read"),
        (["--resume", "../../etc"], "no planning"),
        (["x", "--resume", "nope"], "has its request"),
        (["--resume", "nope", "--rounds", "3"], "was settled"),
    ],
)
def test_a_wrong_call_is_refused_before_anything_begins(tmp_path: Path, arguments: list[str], told: str) -> None:
    done = call("plan", "--agent", "scripted", *arguments, cwd=tmp_path, PLANRAIL_STATE_DIR=str(tmp_path / "state"))
    assert (done.returncode in (1, 2), told in done.stderr) == (True, True), done.stderr
    assert not (tmp_path / "state" / "plannings").exists()


def test_phases_options_and_a_length_target_are_heard(desk: Desk) -> None:
    code, answer, _ = desk.plan("--phases", "explore,draft", "--length", "under 20 lines", "--attempts", "2", "x")
    assert (code, answer["status"], answer["phases"]) == (1, "exhausted", ["explore", "draft"])
    assert "keep it under 20" in str(answer["problems"])
    assert "Keep the whole plan under 20 lines" in desk.prompts("author")[-1]


@pytest.mark.soak
def test_a_planning_that_came_to_no_end_says_why_and_can_be_gone_on_with(desk: Desk) -> None:
    script = good_script()
    script[0]["text"] = "Sure!"
    desk.follow(script)
    done = desk.run("plan", "--agent", "scripted", "--attempts", "2", "--rounds", "1", "Refuse empty names")
    assert done.returncode == 1
    assert "The answer says nothing yet" in done.stdout
    assert f"next: planrail plan --resume {desk.plannings()[0]}" in done.stdout
    assert not list(desk.home.rglob("*.md"))
    script = good_script()
    script[1] = reply("Phase: EXPLORE", EXPLORED, delay=60)
    desk.follow(script)
    code, answer, _ = desk.plan("--resume", desk.plannings()[0], "--timeout", "1")
    assert (code, answer["status"], "1 second" in str(answer["error"])) == (11, "failed", True)
    script = good_script()  # which forgets the conversations as well
    script[4] = {"role": "critic", "times": 0, "crash": True}
    desk.follow(script)
    code, answer, told = desk.plan("--resume", desk.plannings()[0], "--timeout", "60")
    assert (code, answer["status"], answer["phase"]) == (11, "failed", "critique")
    assert (told.count("asked once more"), "understand" in told) == (1, False)
    assert "What the phase understand brought" in desk.prompts("author")[-2]
    assert (desk.kept() / "plan.md").read_text() == PLAN
    desk.follow(good_script())
    code, answer, told = desk.plan("--resume", desk.plannings()[0])
    assert (code, answer["status"]) == (0, "finished"), told
    names = {path.name for path in (desk.kept() / "answers").iterdir()}
    assert {"01-understand-001.md", "01-understand-001.before-1.md", "01-understand-002.md"} <= names


def test_a_missing_program_says_how_to_get_it(desk: Desk) -> None:
    programs = desk.base / "bin"
    programs.mkdir()
    (programs / "git").symlink_to(shutil.which("git") or "/usr/bin/git")
    desk.path = str(programs)
    done = desk.run("plan", "--agent", "codex", "Refuse empty names")
    assert done.returncode == 11
    assert "npm install" in done.stdout
    assert "asked once more" not in done.stderr


# ---- read-only ----


def test_an_agent_that_wants_to_write_is_denied_and_goes_on(desk: Desk) -> None:
    script = good_script()
    script[1] |= {"write": {"src/evil.py": "x"}, "run": ["touch evil.txt", "git log --oneline"]}
    desk.follow(script)
    code, answer, told = desk.plan("--phases", "explore,draft", "--explorers", "2", "Refuse empty names")
    assert code == 0, told
    assert "denied" in told
    assert desk.git("status", "--porcelain") == "?? plans/\n"
    assert answer["tree_changes"] is None


@pytest.mark.full
def test_a_change_that_slips_through_is_reported_and_parked(desk: Desk) -> None:
    desk.follow(good_script(delay=0.7))
    process = desk.start("plan", "--agent", "scripted", "--json", "--phases", "explore,draft", "--explorers", "1", "x")
    assert process.stderr is not None
    for line in process.stderr:
        if "explore" in line:
            (desk.repo / "src" / "new.py").write_text("slipped\n")
            break
    said, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "src/new.py" in json.loads(said)["tree_changes"]
    assert told.count("src/new.py") == 1
    assert "since the planning began" in told
    assert "planrail/parked/" in desk.git("branch", "--list", "planrail/parked/*")


@pytest.mark.soak
def test_what_a_critic_found_is_shown_before_the_next_planning_explores(desk: Desk) -> None:
    assert desk.plan("--rounds", "1", "Refuse empty names")[0] == 0
    assert desk.plan("--rounds", "1", "--explorers", "1", "Refuse empty names in the greeter")[0] == 0
    assert "LESSONS FROM PREVIOUS PLANNINGS" in desk.prompts("author")[1]
    assert desk.plan("--rounds", "1", "--explorers", "1", "--no-memory", "Refuse empty names again")[0] == 0
    assert not any("LESSONS" in prompt for prompt in desk.prompts("author"))


@pytest.mark.soak
def test_a_planning_that_is_at_work_is_not_taken_over(desk: Desk) -> None:
    desk.follow(good_script(delay=1))
    process = desk.start("plan", "--agent", "scripted", "--phases", "explore,draft", "--explorers", "1", "x")
    assert process.stderr is not None
    process.stderr.readline()
    code, answer, told = desk.plan("--resume", desk.plannings()[0])
    assert (code, answer["status"], answer["planning"]) == (1, "refused", desk.plannings()[0])
    assert "at work" in told
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


@pytest.mark.soak
def test_without_an_id_the_unfinished_plannings_of_this_project_are_listed(desk: Desk, tmp_path: Path) -> None:
    assert "no planning to go on with" in desk.run("plan", "--resume").stdout
    desk.follow([reply("Phase: UNDERSTAND", UNDERSTOOD)])
    assert desk.plan("--deep", "Refuse empty names")[0] == 11
    listed = desk.run("plan", "--resume").stdout
    assert "explore (2 of 8)" in listed
    assert "Refuse empty names" in listed
    (one,) = json.loads(desk.run("plan", "--resume", "--json").stdout)
    assert (one["phase"], one["done"]) == ("explore", 1)
    other = Desk(tmp_path / "other")
    other.state = desk.state
    assert "no planning to go on with" in other.run("plan", "--resume").stdout
    assert "belongs to" in other.run("plan", "--resume", one["planning"]).stderr


@pytest.mark.soak
def test_going_on_with_another_agent_begins_a_new_conversation_that_knows_everything(desk: Desk) -> None:
    desk.follow([reply("Phase: UNDERSTAND", UNDERSTOOD), reply("Phase: EXPLORE", EXPLORED)])
    assert desk.plan("--deep", "Refuse empty names")[0] == 11
    state = json.loads((desk.kept() / "planning.json").read_text())
    state["about"]["agent"] = "claude"
    (desk.kept() / "planning.json").write_text(json.dumps(state))
    desk.follow(good_script())
    code, _, told = desk.plan("--resume", desk.plannings()[0])
    assert code == 0, told
    assert UNDERSTOOD in desk.prompts("author")[-4]  # the first of the new conversation: alternatives
