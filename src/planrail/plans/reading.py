"""Reading any plan: the one entry to this package."""

from planrail.plans.formats.markdown import read_markdown
from planrail.plans.model import Plan
from planrail.plans.text.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.plans.surroundings import Surroundings


def read(source: Source, surroundings: "Surroundings | None" = None) -> Plan:
    """The plan that a file holds, whatever tool it was written with or for.

    `surroundings` lets it hear the progress document that it names, and evidence where it marks nothing,
    or which tag of task-master's is worked on.
    """
    suffix = source.path.lower().rsplit(".", 1)[-1]
    if suffix == "json":
        from planrail.plans.formats.json_tasks import read_json

        return read_json(source, surroundings)
    if suffix == "jsonl":
        from planrail.plans.formats.jsonl_issues import read_jsonl

        return read_jsonl(source)
    if suffix in ("yaml", "yml"):
        from planrail.plans.formats.yaml_tasks import read_yaml

        return read_yaml(source)
    return read_markdown(source, surroundings, read)
