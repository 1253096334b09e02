from planrail.api import PlanrailError as PlanrailError
from planrail.api import RunEnd as RunEnd
from planrail.api import RunRequest as RunRequest
from planrail.api import approve as approve
from planrail.api import judge_command as judge_command
from planrail.api import lint as lint
from planrail.api import read_plan as read_plan
from planrail.api import resume_run as resume_run
from planrail.api import run_status as run_status
from planrail.api import set_status as set_status
from planrail.api import start_run as start_run

__version__: str
