"""The tables of the queue, of schedules and of workers: one text that SQLite and PostgreSQL both understand.

It is a migration of the ledger and of the team's database. The unique indexes are what no writer can get around: a plan
has at most one submission and one schedule that are not ended.
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
