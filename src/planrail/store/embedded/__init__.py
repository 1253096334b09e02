"""The ledger of one repository: SQLite for facts and rows, files for claims and journals, all in one folder."""
