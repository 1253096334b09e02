"""Documents in their format, made from the table of formats."""

from planrail.tasks.documents.formats import FORMATS, PHASES_SECTIONS, WAVES_LABEL

_PHASE = [
    f"**{WAVES_LABEL}**:",
    "",
    "| Wave | Phases | Blocked by |",
    "|------|--------|------------|",
    "| 1 | 1 | -- |",
    "",
    "### Phase 1: NAME [NOT STARTED]",
    "",
    "**Goal:** …",
    "**Depends on:** none",
    "**Timing:** 1 hour",
    "",
    "**Tasks:**",
    "",
    "- [ ] …",
    "",
    "#### Acceptance Criteria",
    "",
    "- [ ] `COMMAND` passes",
    "",
]


def good_document(type_: str) -> str:
    """A document that has all that its format asks for, and nothing else."""
    form = FORMATS[type_]
    lines = [f"# {form.title}: TITLE", *(f"- **{field}**: …" for field in form.metadata), ""]
    for section in form.sections:
        lines += [f"## {section}", "", "…", ""]
        if section in PHASES_SECTIONS:
            lines += _PHASE
    return "\n".join(lines)
