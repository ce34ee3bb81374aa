-- The tables of the service (service/store). They stand in the leaderboard's database, beside runs and reference times, and only
-- `convjudge serve` and `convjudge grade-class` write them. This is version 1; a later one adds to it in a file of its own
-- (service_2.sql), which new databases and older ones run alike (service/store/service_store.c).

-- ---- who -----------------------------------------------------------------------------------------------------------

CREATE TABLE person (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE,  -- a login name, or what a token was made for
    role          TEXT NOT NULL CHECK (role IN ('student', 'teacher', 'admin')),
    pseudonym     TEXT UNIQUE,           -- what public boards call the person; NULL: the name
    created_utc   TEXT NOT NULL
) STRICT;

CREATE TABLE token (
    hash          TEXT PRIMARY KEY,      -- SHA-256 of the token, which nobody keeps
    person        INTEGER NOT NULL REFERENCES person,
    created_utc   TEXT NOT NULL,
    revoked_utc   TEXT
) STRICT, WITHOUT ROWID;

-- A browser that has logged in.
CREATE TABLE login (
    hash          TEXT PRIMARY KEY,      -- SHA-256 of the cookie
    person        INTEGER NOT NULL REFERENCES person,
    token         TEXT NOT NULL,         -- the login ends with the token that began it
    expires_s     INTEGER NOT NULL       -- by the server's clock, since 1970
) STRICT, WITHOUT ROWID;

CREATE TABLE class_group (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE,
    invitation    TEXT NOT NULL UNIQUE,  -- SHA-256 of what the link holds
    created_utc   TEXT NOT NULL
) STRICT;

CREATE TABLE membership (
    class_group   INTEGER NOT NULL REFERENCES class_group,
    person        INTEGER NOT NULL REFERENCES person,
    PRIMARY KEY (class_group, person)
) STRICT, WITHOUT ROWID;

-- ---- what was handed in, and what became of it -----------------------------------------------------------------------

-- The time of receipt is the system clock's at that moment, and the number alone is the order. (The table's own words about received_s
-- are older; a table cannot change its words.)
CREATE TABLE submission (
    id            INTEGER PRIMARY KEY,
    person        INTEGER NOT NULL REFERENCES person,
    key           TEXT NOT NULL,         -- made by the client, so that a repeated request is known again
    problem       TEXT NOT NULL,
    mode          TEXT NOT NULL CHECK (mode IN ('try', 'test', 'rank')),
    sizes         TEXT NOT NULL,         -- of a try: "input_size=1000"
    file_name     TEXT NOT NULL,
    source_hash   TEXT NOT NULL,         -- of a row of `sources`
    received_utc  TEXT NOT NULL,
    received_s    INTEGER NOT NULL,      -- the same moment, since 1970; never less than that of the submission before
    UNIQUE (person, key)
) STRICT;

-- The source of a try, which is forgotten with it; all other sources are rows of `sources`, which stay.
CREATE TABLE try_source (
    submission    INTEGER PRIMARY KEY REFERENCES submission,
    source        TEXT NOT NULL
) STRICT;

CREATE INDEX submission_of_a_problem ON submission (problem, person);

-- Why judgings exist: batch 1 holds what is judged because it was handed in, each other one is a rejudging.
CREATE TABLE batch (
    id            INTEGER PRIMARY KEY,
    kind          TEXT NOT NULL CHECK (kind IN ('live', 'rejudge')),
    problem       TEXT NOT NULL,         -- '': any
    reason        TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('open', 'applied', 'dropped')),
    created_utc   TEXT NOT NULL
) STRICT;

INSERT INTO batch VALUES (1, 'live', '', 'handed in', 'applied', strftime('%Y-%m-%dT%H:%M:%SZ', 'now'));

-- queued -> offered -> running -> recorded. An attempt that the judge failed leads back to queued, the second to held, which
-- a person decides about. cancelled: withdrawn by its author, or dropped with its batch.
CREATE TABLE judging (
    id            INTEGER PRIMARY KEY,
    submission    INTEGER NOT NULL REFERENCES submission,
    batch         INTEGER NOT NULL REFERENCES batch,
    revision      TEXT NOT NULL,         -- of the problem
    position      REAL NOT NULL,         -- the order: lower first (service/head/order.h)
    state         TEXT NOT NULL CHECK (state IN ('queued', 'offered', 'running', 'recorded', 'held', 'cancelled')),
    attempt       INTEGER NOT NULL,      -- the number of the attempt that counts; 0: there was none
    failures      INTEGER NOT NULL,      -- of attempts: by the judge, not by the submission
    verdict       TEXT,                  -- this and the next are set once it is recorded
    text          TEXT,                  -- the sentence behind a verdict other than Accepted
    device        TEXT,
    device_s      REAL,                  -- how long a worker was busy with it
    run           INTEGER,               -- id of a row of `runs`; NULL: it was not recorded there
    UNIQUE (submission, batch)
) STRICT;

CREATE INDEX judging_by_state ON judging (state, position) WHERE state IN ('queued', 'offered', 'running', 'held');
CREATE INDEX judging_of_a_run ON judging (run) WHERE run IS NOT NULL;

CREATE TABLE attempt (
    judging       INTEGER NOT NULL REFERENCES judging,
    n             INTEGER NOT NULL,
    worker        TEXT,                  -- who claimed it; NULL: nobody yet
    offered_utc   TEXT NOT NULL,
    ended_utc     TEXT,
    outcome       TEXT CHECK (outcome IN ('judged', 'worker_failed', 'lost', 'late', 'given_back')),
    why           TEXT,                  -- of a failure: one line
    PRIMARY KEY (judging, n)
) STRICT, WITHOUT ROWID;

-- What a worker wrote about a judging: result.json, explain.json, the report as text.
CREATE TABLE document (
    judging       INTEGER NOT NULL REFERENCES judging,
    kind          TEXT NOT NULL CHECK (kind IN ('result', 'explain', 'report', 'run')),
    text          TEXT NOT NULL,
    PRIMARY KEY (judging, kind)
) STRICT;

-- Workers that get no more work until a person says so.
CREATE TABLE drained (
    worker        TEXT PRIMARY KEY,
    since_utc     TEXT NOT NULL,
    why           TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
    id            INTEGER PRIMARY KEY,
    time_utc      TEXT NOT NULL,
    person        TEXT NOT NULL,         -- who did it
    action        TEXT NOT NULL,         -- "token add"
    object        TEXT NOT NULL          -- to what
) STRICT;

CREATE TRIGGER audits_are_never_changed BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audits are never changed'); END;
CREATE TRIGGER audits_are_never_deleted BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audits are never deleted'); END;

-- The judging that counts for each submission: of its newest batch that was applied.
CREATE VIEW current_judging AS
SELECT judging.* FROM judging
WHERE judging.id = (SELECT other.id FROM judging AS other JOIN batch ON batch.id = other.batch
                    WHERE other.submission = judging.submission AND batch.state = 'applied'
                    ORDER BY other.batch DESC LIMIT 1);

CREATE TABLE service_version (version INTEGER NOT NULL) STRICT;
INSERT INTO service_version VALUES (1);
