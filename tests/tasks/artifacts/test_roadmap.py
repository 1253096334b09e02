"""The roadmap: what is open in it, and what a completed task brought is ticked there, once and exactly."""

from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.tasks.documents.roadmap import open_items, tick_roadmap
from planrail.tasks.model import Task
from tests.tasks.artifacts.nasty_texts import PIECES

ROADMAP = """# Roadmap

## Phase 1: Now (High Priority)

### Documents

- [ ] **Generate the README**: from the manifest
- [x] Sweep old names *(Completed: Task 3, 2026-01-02)*
- [ ] Cache the index,
  so that starting is fast
- [ ] Lint in CI (Task 7)

## Phase 2: Later

- [ ] Reload without a restart
- [ ] Reload without a restart of the shell

```
- [ ] Lint in CI (Task 7)
```
"""
TASK = Task(7, "n", "T", last_updated="2026-07-01T12:00:00Z")
NOTE = " *(Completed: Task 7, 2026-07-01)*"


def test_the_open_items_are_offered_each_on_one_line() -> None:
    assert open_items(ROADMAP)[1] == "Cache the index, so that starting is fast"
    assert len(open_items(ROADMAP)) == 5


def test_an_item_that_names_the_task_is_ticked_and_nothing_else() -> None:
    done = ROADMAP.replace("- [ ] Lint in CI (Task 7)", f"- [x] Lint in CI (Task 7){NOTE}", 1)
    assert tick_roadmap(ROADMAP, TASK) == done
    assert tick_roadmap(done, TASK) == done
    assert tick_roadmap(ROADMAP, replace(TASK, number=77)) == ROADMAP


def test_an_item_that_the_task_names_is_ticked_however_it_is_marked_up() -> None:
    task = replace(TASK, number=9, roadmap_items=("Generate the README", "cache the index, so that starting is fast"))
    after = tick_roadmap(ROADMAP, replace(task, last_updated="2026-08-01T10:00:00Z"))
    assert "- [x] **Generate the README**: from the manifest *(Completed: Task 9, 2026-08-01)*\n" in after
    assert "- [x] Cache the index,\n  so that starting is fast *(Completed: Task 9, 2026-08-01)*\n" in after


def test_a_text_that_fits_several_items_ticks_none_but_the_one_that_is_it() -> None:
    task = replace(TASK, number=9)
    assert tick_roadmap(ROADMAP, replace(task, roadmap_items=("Reload without",))) == ROADMAP
    after = tick_roadmap(ROADMAP, replace(task, roadmap_items=("Reload without a restart",)))
    assert open_items(after)[-1] == "Reload without a restart of the shell"
    assert len(open_items(after)) == len(open_items(ROADMAP)) - 1


def test_a_short_word_names_no_item() -> None:
    assert tick_roadmap(ROADMAP, replace(TASK, number=9, roadmap_items=("README", "", "in CI"))) == ROADMAP


def test_line_ends_and_blanks_at_the_ends_of_lines_are_kept() -> None:
    text = ROADMAP.replace("\n", "  \r\n")
    after = tick_roadmap(text, TASK)
    assert after == text.replace("[ ] Lint in CI (Task 7)", f"[x] Lint in CI (Task 7){NOTE}", 1)


@given(
    st.lists(st.sampled_from((*ROADMAP.split("\n"), *PIECES)), max_size=15).map("\n".join),
    st.lists(st.sampled_from(("Generate the README", "Reload without a restart", "word")), max_size=2),
)
def test_ticking_is_done_once_and_opens_nothing(text: str, items: list[str]) -> None:
    task = replace(TASK, roadmap_items=tuple(items))
    after = tick_roadmap(text, task)
    before_open, after_open = (open_items(one) for one in (text, after))
    assert tick_roadmap(after, task).count(NOTE) <= len(before_open)
    assert len(after) - len(text) == len(NOTE) * (len(before_open) - len(after_open))
    assert after.replace(NOTE, "").replace("[x]", "[ ]") == text.replace("[x]", "[ ]")
    rest = iter(before_open)
    assert all(one in rest for one in after_open)
