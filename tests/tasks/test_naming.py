"""Names: titles, folders, documents and types, from any text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.errors import UsageError
from planrail.tasks.model import folder_of
from planrail.tasks.naming import make_slug, make_title, new_task, short_slug

_NOW = "2026-11-15T12:00:00Z"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("prove_CoherentConstruction_complete", "Prove CoherentConstruction complete"),
        ("add-dark-mode", "Add dark mode"),
        ("bug in modal evaluator", "Fix bug in modal evaluator"),
        ("documentation for new API", "Update documentation for new API"),
        ("tests for validation module", "Add tests for validation module"),
        ("new caching layer", "Implement new caching layer"),
        ("support Python 3.14", "Support Python 3.14"),
        ("fix  the   race.", "Fix the race"),
        ("wait for it...", "Wait for it..."),
        ("#123 memory leak", "#123 memory leak"),
        ("# A heading", "A heading"),
        ("src/app.py breaks", "src/app.py breaks"),
        ("rename foo_bar to bar", "Rename foo_bar to bar"),
        ("v2 of the API", "v2 of the API"),
        ('add "hello world." test', 'Add "hello world." test'),
        ("\n\n  first line\nsecond line", "First line"),
        ("ß wird groß", "ß wird groß"),
        ("日本語のタスク。", "日本語のタスク"),
        (".", "."),
    ],
)
def test_a_title_is_one_line_that_names_the_deed(text: str, title: str) -> None:
    assert make_title(text) == title


def test_a_long_text_is_titled_by_its_first_sentence_which_is_cut_between_words() -> None:
    assert make_title("The cache is stale. " + "It has been for weeks. " * 20) == "The cache is stale"
    title = make_title("rework the whole " + "pipeline " * 50)
    assert len(title) <= 100
    assert title.endswith("pipeline…")


@pytest.mark.parametrize("text", ["", "   ", "\n\t\n", "\0", "\x1b", "##"])
def test_a_text_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        make_title(text)


@given(st.text(max_size=400))
def test_any_text_gives_a_title_that_is_one_printable_line_and_stays_so(text: str) -> None:
    try:
        title = make_title(text)
    except UsageError:
        return
    assert 0 < len(title) <= 100
    assert len(title.splitlines()) == 1
    assert not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in title)
    title.encode("utf-8")


@given(st.text(max_size=300))
def test_any_title_gives_names_that_are_safe_in_a_path(title: str) -> None:
    for slug, glue, most in ((make_slug(title), "_", 50), (short_slug(title), "-", 40)):
        assert 0 < len(slug) <= most
        assert slug == slug.strip(glue)
        assert glue * 2 not in slug
        assert not set(slug) & set("/\\.~: \0'\"$`*?\n")
        assert slug == slug.lower() or not slug.isascii()
        assert len(f"007_{slug}".encode()) <= 255
    assert make_slug(make_slug(title)) == make_slug(title)


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Größe ändern & naïve Łódź", "grosse_andern_naive_lodz"),
        ("日本語 タスク", "日本語_タスク"),
        ("हिन्दी कार्य", "हिन्दी_कार्य"),
        ("1️⃣ first ⚠️ step", "1_first_step"),
        ("🎉 🎉", "task"),
        ("../../etc/passwd", "etc_passwd"),
        ("-rf --force", "rf_force"),
        ("x" * 80, "x" * 50),
        ("Rework the whole of the import pipeline for archived tasks", "rework_the_whole_of_the_import_pipeline_for"),
    ],
)
def test_a_folder_is_named_in_snake_case_by_whole_words(title: str, slug: str) -> None:
    assert make_slug(title) == slug


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Fix the bug in a login", "fix-bug-in-login"),
        ("Rework the whole of the import pipeline for archived tasks", "rework-whole-import-pipeline-archived"),
        ("The", "task"),
    ],
)
def test_a_document_is_named_in_at_most_five_words_without_articles(title: str, slug: str) -> None:
    assert short_slug(title) == slug


def test_a_new_task_keeps_the_text_as_it_was_said_and_runs_nothing_of_it() -> None:
    text = "  run `rm -rf /` and $(touch x)\n\nsecond paragraph.  "
    task = new_task(7, text, now=_NOW, dependencies=[3, 3, 5])
    assert task.description == text.strip()
    assert task.title == "Run `rm -rf /` and $(touch x)"
    assert folder_of(task) == "specs/007_run_rm_rf_and_touch_x"
    assert (task.status, task.round, task.dependencies) == ("not_started", 0, (3, 5))
    assert (task.created, task.last_updated) == (_NOW, _NOW)


@given(st.text(max_size=200))
def test_any_text_is_kept_in_a_form_that_every_store_takes(text: str) -> None:
    try:
        task = new_task(7, text, now=_NOW)
    except UsageError:
        return
    for value in (task.title, task.name, task.description):
        assert "\0" not in value
        value.encode("utf-8")
