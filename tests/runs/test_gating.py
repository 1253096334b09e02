"""What a command of an agent does to the branch that is protected."""

import pytest

from planrail.runs.in_session.gating import find_reach, read_calls

_ON_MAIN = [
    ("git commit -m x", "`git commit` on main"),
    ("cd sub && git -C .. -c a=b commit --amend", "`git commit` on main"),
    ("sh -c 'git cherry-pick abc'", "`git cherry-pick` on main"),
    ("git push", "`git push` to main"),
    ("git push origin HEAD", "`git push` to main"),
    ("git switch feature && git push origin HEAD:main", "`git push` to main"),
    ("git checkout a.py; git commit -a", "`git commit` on main"),
    ("git branch -f main feature", "moving main"),
    ("git update-ref refs/heads/main abc", "moving main"),
    ("git push --all origin", "`git push` to main"),
    ("git log --oneline | head; git status", ""),
    ("git checkout -b feature2 && git commit -am x && git push -u origin feature2", ""),
    ("git switch feature && git commit -am x", ""),
    ("git push origin feature", ""),
    ("git branch -d feature; git add .", ""),
    ("echo commit; ls", ""),
]


@pytest.mark.parametrize(("command", "said"), _ON_MAIN)
def test_what_reaches_the_target_is_told_from_what_leaves_it(command: str, said: str) -> None:
    assert find_reach(read_calls(command), "main", "main", ["main", "feature"]) == said


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("git commit -m x", ""),
        ("git push", ""),
        ("git push origin HEAD", ""),
        ("git push origin +feature:refs/heads/main", "`git push` to main"),
        ("git switch main && git merge feature", "`git merge` on main"),
    ],
)
def test_a_branch_of_its_own_is_free(command: str, said: str) -> None:
    assert find_reach(read_calls(command), "feature", "main", ["main", "feature"]) == said
