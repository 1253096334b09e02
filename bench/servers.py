"""The PostgreSQL that the tests start for themselves, for programs here, which are run by their path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.postgres import make_dbos_template as make_dbos_template
from tests.support.postgres_server import PostgresServer as PostgresServer
