"""Files that are not what they look like."""

import pytest

from tests.claims_refused.stage import HONEST, LIE, Stage


@pytest.mark.full
def test_a_link_out_of_the_work_is_not_the_work(stage: Stage) -> None:
    stage.implementer('echo hello > "$CAST/elsewhere"; ln -s "$CAST/elsewhere" greeting.txt')
    stage.refused(stage.run(), "greeting.txt")


def test_a_link_that_climbs_out_of_the_work_is_not_the_work(stage: Stage) -> None:
    stage.implementer("echo hello > ../elsewhere; ln -s ../elsewhere greeting.txt")
    stage.refused(stage.run(), "greeting.txt")


def test_a_folder_that_is_a_link_out_of_the_work_is_not_the_work(stage: Stage) -> None:
    stage.phase(
        "## Phase 1 — Greet\n\n- [ ] write out/greeting.txt\n\n```sh check\ngrep -qx hello out/greeting.txt\n```\n"
    )
    stage.implementer('mkdir "$CAST/out"; echo hello > "$CAST/out/greeting.txt"; ln -s "$CAST/out" out')
    stage.refused(stage.run(), "out")


def test_a_link_to_the_users_repository_is_not_written_through(stage: Stage) -> None:
    stage.implementer(f'{LIE}; rm README; ln -s "$ROOT/README" README')
    stage.refused(stage.run(), "README is a link")
    assert (stage.root / "README").read_text() == "a project\n"


def test_a_file_too_large_to_keep_is_told(stage: Stage) -> None:
    stage.implementer(f"{HONEST}; truncate -s 60M huge.bin")
    stage.refused(stage.run(), "huge.bin")


def test_what_is_neither_file_nor_link_is_no_work(stage: Stage) -> None:
    stage.implementer("mkfifo greeting.txt")
    stage.refused(stage.run(), "changed nothing")


def test_names_with_line_breaks_and_dots_hide_nothing(stage: Stage) -> None:
    stage.implementer(
        "mkdir -p '..\n'; echo x > '..\n/a'; echo y > $'greeting.txt\\n'; echo z > 'a\nPlanrail-Phase: 1'; " + LIE
    )
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


def test_work_in_planrails_own_folder_is_not_taken(stage: Stage) -> None:
    stage.implementer("mkdir -p .planrail; echo hello > .planrail/greeting.txt")
    stage.refused(stage.run(), "changed nothing")


def test_work_in_the_users_checkout_is_not_the_phases(stage: Stage) -> None:
    stage.implementer('echo hello > "$ROOT/greeting.txt"')
    stage.refused(stage.run(), "changed nothing")


def test_a_workspace_that_is_replaced_by_a_link_is_refused(stage: Stage) -> None:
    stage.implementer(
        'w="$PWD"; cd /; rm -rf "$w"; mkdir "$CAST/w"; echo hello > "$CAST/w/greeting.txt"; ln -s "$CAST/w" "$w"'
    )
    stage.refused(stage.run(), "is not the folder that planrail made")


@pytest.mark.full
def test_settings_of_planrail_are_not_changed_in_passing(stage: Stage) -> None:
    stage.implementer(f"{HONEST}; echo '[testing]' > planrail.toml")
    stage.refused(stage.run(), "planrail.toml")


def test_a_test_command_that_the_agent_replaces_is_not_used(stage: Stage) -> None:
    stage.files["tests/all.sh"] = "grep -qx hello greeting.txt || test ! -e greeting.txt\n"
    stage.settings["testing"] = ['command = "sh tests/all.sh"']
    stage.phase("## Phase 1 — Greet\n\n- [ ] write greeting.txt, which says hello; planrail.toml may change\n")
    stage.implementer(f"""{LIE}; sed -i 's/sh tests.all.sh/true/' planrail.toml "$ROOT/planrail.toml" """)
    stage.refused(stage.run(), "tests fail")
