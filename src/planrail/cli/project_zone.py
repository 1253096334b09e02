"""Which clocks does a project go by?"""

from planrail.base.settings import FILE_NAME, load_settings
from planrail.git.git import show_committed, top_level
from planrail.team.schedules.zones import local_zone_name


def find_project_zone(folder: str) -> str:
    """The zone that times of day are meant in: the setting `[schedule] timezone`, else the machine's own."""
    root = top_level(folder)
    settings = load_settings(root, committed=show_committed(root, FILE_NAME) if root else None)
    return settings.schedule.timezone or local_zone_name()
