"""Leases that run out when the test says so."""

from planrail.store.postgres.connections import borrow
from planrail.store.postgres.contact import NOW


def let_lapse(url: str) -> None:
    """As if all leases had run out a moment ago, with the database in contact all the time."""
    with borrow(url) as link:
        link.execute(f"UPDATE claims SET until = {NOW} - 1".encode())
        link.execute("DELETE FROM workers")
        contact = f"INSERT INTO contact VALUES (1, {NOW}, 0) ON CONFLICT (one) DO UPDATE SET last = {NOW}, since = 0"
        link.execute(contact.encode())
