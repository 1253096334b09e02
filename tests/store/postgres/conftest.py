"""A PostgreSQL for the tests of this folder; each test gets a database of its own."""

from tests.postgres import database as database
from tests.postgres import postgres as postgres
