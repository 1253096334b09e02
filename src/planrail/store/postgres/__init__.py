"""The ledger of a team: a PostgreSQL that several machines share. Nothing here is imported without a `database`."""
