"""The tables of the queue, of schedules, workers and tasks: texts that SQLite and PostgreSQL both understand.

Each is a migration of the ledger and of the team's database. The unique indexes are what no writer can get around: a
plan has at most one submission and one schedule that are not ended.
"""

QUEUE_TABLES = """
CREATE TABLE submissions (
    id TEXT PRIMARY KEY,
    repository TEXT NOT NULL,
    plan TEXT NOT NULL,
    path TEXT NOT NULL,
    wish TEXT NOT NULL,
    run TEXT NOT NULL DEFAULT '',
    account TEXT NOT NULL DEFAULT '',
    priority INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL CHECK (state IN ('queued', 'taken', 'stopping', 'resting', 'ended')),
    due DOUBLE PRECISION NOT NULL DEFAULT 0,
    served DOUBLE PRECISION NOT NULL DEFAULT 0,
    submitted DOUBLE PRECISION NOT NULL,
    submitted_by TEXT NOT NULL DEFAULT '',
    worker TEXT NOT NULL DEFAULT '',
    owner TEXT NOT NULL DEFAULT '',
    until DOUBLE PRECISION NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0,
    said TEXT NOT NULL DEFAULT '',
    outcome TEXT NOT NULL DEFAULT '',
    remote TEXT NOT NULL DEFAULT '',
    root TEXT NOT NULL DEFAULT '',
    host TEXT NOT NULL DEFAULT '',
    target TEXT NOT NULL DEFAULT '',
    taken_on TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX submissions_once ON submissions (repository, plan) WHERE state <> 'ended';
CREATE INDEX submissions_in_line ON submissions
    (priority DESC, served, submitted, id, due, repository, account, remote, host) WHERE state = 'queued';
CREATE INDEX submissions_due ON submissions (due) WHERE state = 'queued' AND due > 0;
CREATE INDEX submissions_at_work ON submissions (repository, account) WHERE state IN ('taken', 'stopping');
CREATE INDEX submissions_of_account ON submissions (account) WHERE state IN ('taken', 'stopping');
CREATE INDEX submissions_here ON submissions (taken_on) WHERE state IN ('taken', 'stopping');
CREATE INDEX submissions_of_plan ON submissions (repository, plan, submitted);
CREATE TABLE schedules (
    id TEXT PRIMARY KEY,
    repository TEXT NOT NULL,
    plan TEXT NOT NULL,
    path TEXT NOT NULL,
    expression TEXT NOT NULL,
    cron TEXT NOT NULL DEFAULT '',
    zone TEXT NOT NULL,
    kind TEXT NOT NULL,
    wish TEXT NOT NULL,
    next DOUBLE PRECISION NOT NULL,
    last DOUBLE PRECISION NOT NULL DEFAULT 0,
    state TEXT NOT NULL CHECK (state IN ('active', 'held', 'ended')),
    why TEXT NOT NULL DEFAULT '',
    created DOUBLE PRECISION NOT NULL,
    created_by TEXT NOT NULL DEFAULT '',
    remote TEXT NOT NULL DEFAULT '',
    root TEXT NOT NULL DEFAULT '',
    host TEXT NOT NULL DEFAULT '',
    target TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX schedules_once ON schedules (repository, plan) WHERE state <> 'ended';
CREATE INDEX schedules_due ON schedules (next) WHERE state = 'active';
CREATE TABLE queue_limits (
    kind TEXT NOT NULL CHECK (kind IN ('repository', 'account')),
    name TEXT NOT NULL,
    most INTEGER NOT NULL CHECK (most >= 0),
    PRIMARY KEY (kind, name)
);
CREATE TABLE accounts (name TEXT PRIMARY KEY, until DOUBLE PRECISION NOT NULL);
CREATE TABLE workers (
    id TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    owner TEXT NOT NULL,
    slots INTEGER NOT NULL,
    busy INTEGER NOT NULL,
    drains INTEGER NOT NULL,
    seen DOUBLE PRECISION NOT NULL,
    version TEXT NOT NULL
);
"""

# The texts of a task lie in a table of their own, so that lists of thousands read short rows. `revision` counts the
# changes of a book; a task and a book remember the last one that touched them, which tells the views what is new.
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
"""
