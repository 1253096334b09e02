"""The tables of tasks: one text that SQLite and PostgreSQL both understand, a migration of each.

The texts of a task lie in a table of their own, so that lists of thousands read short rows. `revision` counts the
changes of a book; a task and a book remember the last one that touched them, which tells the views what is new.
"""

TASK_TABLES = """
CREATE TABLE task_books (
    repository TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    revision BIGINT NOT NULL,
    placed BIGINT NOT NULL,
    ordered BIGINT NOT NULL,
    next_number BIGINT NOT NULL,
    updated DOUBLE PRECISION NOT NULL,
    head TEXT NOT NULL
);
CREATE TABLE tasks (
    repository TEXT NOT NULL,
    id TEXT NOT NULL,
    number BIGINT NOT NULL,
    status TEXT NOT NULL,
    title TEXT NOT NULL,
    topic TEXT NOT NULL,
    dependencies TEXT NOT NULL,
    gist TEXT NOT NULL,
    is_archived INTEGER NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (repository, id)
);
CREATE UNIQUE INDEX tasks_once ON tasks (repository, number) WHERE is_archived = 0;
CREATE INDEX tasks_by_number ON tasks (repository, number);
CREATE INDEX tasks_changed ON tasks (repository, revision);
CREATE TABLE task_texts (
    repository TEXT NOT NULL,
    id TEXT NOT NULL,
    entry TEXT NOT NULL,
    section TEXT NOT NULL,
    PRIMARY KEY (repository, id)
);
CREATE TABLE task_events (
    repository TEXT NOT NULL,
    revision BIGINT NOT NULL,
    id TEXT NOT NULL,
    number BIGINT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    session TEXT NOT NULL,
    what TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (repository, revision, id)
);
CREATE INDEX task_events_by_number ON task_events (repository, number, revision);
CREATE TABLE task_errors (
    repository TEXT NOT NULL,
    id TEXT NOT NULL,
    number BIGINT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    type TEXT NOT NULL,
    severity TEXT NOT NULL,
    state TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (repository, id)
);
CREATE INDEX task_errors_by_time ON task_errors (repository, at);
"""
