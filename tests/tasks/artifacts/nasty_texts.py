"""Texts as agents and people write them into fields: with everything in them that Markdown could take for structure."""

from hypothesis import strategies as st

from planrail.tasks.documents.formats import FORMATS, Report

PIECES = (
    *("# H", "## Overview", "## Findings", "### Phase 3: x [COMPLETED]", "#### Acceptance Criteria", "#", "===", "---"),
    *("Phase 2", "phase 2: y", "[DONE]", "[x]", "[ ]", "- [x] done", "- [ ] open", "* a", "1. one", "- ", "+ ", "0."),
    *("| a | b |", "|---|---|", "| Phase | Status |", "| 1 | Done |", "| Wave | Phases |", "Blocked by", "Wave"),
    *(
        "```",
        "~~~",
        "````",
        "`",
        "``",
        "<!--",
        "-->",
        "<details>",
        "<script>",
        "<pre>",
        "</pre>",
        "> quote",
        "    code",
    ),
    *("**Status**: done", "- **Status**: [COMPLETED]", "Status: complete", "---\nstatus: done\n---", "**Task**: 9"),
    *(
        "Depends on: Phase 2",
        "**Depends on:** 2",
        "depends on 1",
        "none",
        "N/A",
        "Verification:",
        "**Tasks:**",
        "Goal:",
    ),
    *("Done", "COMPLETED", "blocked", "in progress", "WIP", "not started", "skipped", "✅", "🚧", "⬜", "⏸", "完了"),
    *("~~x~~", "50%", "1/3", "2 of 3", "(manual)", "**Execution:** manual", "checkpoint: abcdef12", "[P]", "TBD", "…"),
    *("\n", "\n\n", "\r\n", "\r", "\t", "\x00", "\x1b[31m", "\u2028", "\u202e", "\x0b", "\x85", "\ufeff", "\ud800"),
    *("word", "fix the thing", "a.py", "`a.py`", "\\", "*", "_", "__x__", "[a](b)", "http://x.y/z", "日本語", "<", "&"),
    *("fails", "exits 1", "finds nothing", "$ make", "a" * 300, "x " * 1_100),
)
texts = st.lists(st.sampled_from(PIECES), max_size=4).flatmap(
    lambda pieces: st.sampled_from((" ", "", "\n")).map(lambda between: between.join(pieces))
) | st.text(max_size=30)
many = st.lists(texts, max_size=2).map(tuple)
twos = st.lists(st.tuples(texts, texts), max_size=2).map(tuple)


reports = st.builds(
    Report, texts, many, texts, twos, many, many, twos, many, texts, started=texts, completed=texts, effort=texts
)
summaries = st.fixed_dictionaries(dict.fromkeys(FORMATS["summary"].sections, many))
