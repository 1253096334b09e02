"""The PostgreSQL that the tests start for themselves, for programs here, which are run by their path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.postgres_server import PostgresServer as PostgresServer
