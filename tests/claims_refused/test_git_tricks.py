"""Nothing that an agent does to git, in its clone or in the user's repository, changes what planrail takes for the work."""

import pytest

from tests.claims_refused.stage import LIE, Stage

CLONE = {
    "a filter that cleans": "git config filter.lie.clean 'echo hello'; echo 'greeting.txt filter=lie' > .git/info/attributes",
    "a filter that smudges": "git config filter.lie.smudge 'echo hello'; echo 'greeting.txt filter=lie' > .gitattributes",
    "a monitor": "printf '#!/bin/sh\\n' > mon; chmod +x mon; git config core.fsmonitor ./mon",
    "another working tree": "mkdir ../other; echo hello > ../other/greeting.txt; git config core.worktree ../../other",
    "settings of elsewhere": "printf '[core]\\n worktree = /tmp\\n' > inc; git config include.path ../inc",
    "hooks": "git config core.hooksPath hooks; mkdir hooks; printf '#!/bin/sh\\necho hello > greeting.txt\\n' > hooks/post-checkout; chmod +x hooks/post-checkout",
    "a flag in the index": "git add greeting.txt; git update-index --assume-unchanged greeting.txt; echo bye > greeting.txt",
    "a commit of its own": "echo hello > greeting.txt; git add .; git -c user.name=a -c user.email=b commit -qm x; echo bye > greeting.txt",
    "trailers of planrail": "git -c user.name=a -c user.email=b commit -q --allow-empty -m 'x\n\nPlanrail-Plan: plans/greeter.md\nPlanrail-Phase: 1'",
    "objects of elsewhere": "mkdir -p ../alt/objects; echo ../../../alt/objects > .git/objects/info/alternates; true",
    "no git at all": "rm -rf .git",
    "the user's git": 'rm -rf .git; ln -s "$ROOT/.git" .git',
}


@pytest.mark.parametrize("trick", sorted(CLONE))
def test_what_an_agent_does_to_its_clone_does_not_matter(stage: Stage, trick: str) -> None:
    stage.implementer(f"{LIE}; {CLONE[trick]}\ntrue")
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


SMUDGE = """git {where} config {scope} filter.lie.smudge 'sed s/bye/hello/'
git {where} config {scope} filter.lie.clean 'sed s/hello/bye/'
"""
HERE = SMUDGE.format(where='-C "$ROOT"', scope="")
TWO_OBJECTS = """old=$(echo bye | git -C "$ROOT" hash-object -w --stdin)
new=$(echo hello | git -C "$ROOT" hash-object -w --stdin)
"""
OTHER_CONTENT = """cd "$ROOT/.git/objects"
chmod u+w "$(echo $old | cut -c 1-2)/$(echo $old | cut -c 3-)"
cp "$(echo $new | cut -c 1-2)/$(echo $new | cut -c 3-)" "$(echo $old | cut -c 1-2)/$(echo $old | cut -c 3-)"
"""
CHECK, AROUND = "grep -qx hello greeting.txt", "what checks depend on was changed"
USERS = {
    "a filter": (f"{HERE}echo 'greeting.txt filter=lie' > .gitattributes", AROUND),
    "attributes of the repository": (
        f"""{HERE}echo 'greeting.txt filter=lie' > "$ROOT/.git/info/attributes" """,
        AROUND,
    ),
    "a filter of the person": (
        SMUDGE.format(where="", scope="--global") + "echo 'greeting.txt filter=lie' > .gitattributes",
        AROUND,
    ),
    "a replaced object": (f'{TWO_OBJECTS}git -C "$ROOT" replace "$old" "$new"', CHECK),
    "an object with another content": (TWO_OBJECTS + OTHER_CONTENT, "another content than it should"),
    "a monitor": ('printf "#!/bin/sh\n" > "$ROOT/.git/mon"; git -C "$ROOT" config core.fsmonitor .git/mon', CHECK),
    "an excluded file": ('echo greeting.txt >> "$ROOT/.git/info/exclude"', "changed nothing"),
    "hooks": (
        """hook="$ROOT/.git/hooks/post-checkout"; mkdir -p "$ROOT/.git/hooks"
printf '#!/bin/sh\necho hello > greeting.txt\n' > "$hook"; chmod +x "$hook" """,
        CHECK,
    ),
    "a snapshot's ref": (
        """ref="refs/planrail/runs/$(basename "$RUN")/1/1/snapshot.1"
git -C "$ROOT" update-ref "$ref" "$(git -C "$ROOT" rev-parse main)" """,
        CHECK,
    ),
}


@pytest.mark.parametrize("trick", sorted(USERS))
def test_what_an_agent_does_to_the_users_git_makes_no_lie_true(stage: Stage, trick: str) -> None:
    script, reason = USERS[trick]
    stage.implementer(f"{LIE}; {script}\ntrue")
    answer = stage.run()
    stage.refused(answer)
    if "changed outside of the workspace" in answer.told:  # it rests; a person who lets it stay gains no lie either
        answer = stage.call("resume")
    stage.refused(answer, reason)


def test_a_file_that_is_ignored_is_not_part_of_the_work(stage: Stage) -> None:
    stage.implementer("echo hello > greeting.txt; echo greeting.txt > .gitignore")
    stage.refused(stage.run(), "grep -qx hello greeting.txt")


def test_a_repository_inside_of_the_work_is_told(stage: Stage) -> None:
    stage.implementer(
        "echo hello > greeting.txt; mkdir sub; cd sub; git init -q .; echo x > hidden; git add .; git -c user.name=a -c user.email=b commit -qm x"
    )
    stage.refused(stage.run(), "repository of its own")


def test_a_repository_in_a_tracked_folder_does_not_swallow_its_files(stage: Stage) -> None:
    stage.files["lib/code.txt"] = "code\n"
    stage.implementer(
        "echo hello > greeting.txt; cd lib; git init -q .; git add .; git -c user.name=a -c user.email=b commit -qm x;"
        " echo changed > code.txt"
    )
    stage.landed(stage.run())
    assert stage.show("lib/code.txt") == "changed\n"
