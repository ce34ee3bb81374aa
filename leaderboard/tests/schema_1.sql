-- The leaderboard's database. docs/reference/formats.md explains the columns that need more than their name.
-- Whoever changes a table raises user_version here and STORE_SCHEMA_VERSION in store.h.

PRAGMA user_version = 1;

-- One row for each submission that was judged, whatever its verdict. Rows are added, never changed.
CREATE TABLE runs (
    id            INTEGER PRIMARY KEY,
    time_utc      TEXT NOT NULL,     -- "2026-01-31T12:00:00Z"
    person        TEXT NOT NULL,
    problem       TEXT NOT NULL,
    revision      TEXT NOT NULL,     -- times compare within one revision of the problem,
    device        TEXT NOT NULL,     -- one model of device
    epoch         INTEGER NOT NULL,  -- and one way of timing
    device_name   TEXT NOT NULL,
    driver        TEXT NOT NULL,
    toolkit       TEXT NOT NULL,
    judge         TEXT NOT NULL,     -- version of ConvJudge
    sandbox       TEXT NOT NULL,
    verdict       TEXT NOT NULL,
    rank_status   TEXT NOT NULL,     -- "ranked", or "not ranked: " and why
    score_ms      REAL CHECK (score_ms > 0),
    uncertainty   REAL CHECK (uncertainty >= 0), -- of score_ms, relative: 0.005 is half a percent
    machine_code  TEXT,              -- hash: submissions that compile to the same code are pooled
    source_hash TEXT NOT NULL,
    cases         TEXT NOT NULL      -- the `cases` of result.json
) STRICT;

CREATE INDEX runs_of_a_board ON runs (problem, revision, device, epoch);

CREATE TRIGGER runs_are_never_changed BEFORE UPDATE ON runs
BEGIN SELECT RAISE(ABORT, 'runs are never changed'); END;
CREATE TRIGGER runs_are_never_deleted BEFORE DELETE ON runs
BEGIN SELECT RAISE(ABORT, 'runs are never deleted'); END;

-- Times of the reference solutions. The newest row of a name counts, as long as its source is still the file's.
CREATE TABLE reference_times (
    id            INTEGER PRIMARY KEY,
    time_utc      TEXT NOT NULL,
    name          TEXT NOT NULL,     -- "naive.cu"
    problem       TEXT NOT NULL,
    revision      TEXT NOT NULL,
    device        TEXT NOT NULL,
    epoch         INTEGER NOT NULL,
    score_ms      REAL NOT NULL CHECK (score_ms > 0),
    uncertainty   REAL NOT NULL CHECK (uncertainty >= 0),
    source_hash TEXT NOT NULL
) STRICT;

CREATE INDEX reference_times_of_a_board ON reference_times (problem, revision, device, epoch);

CREATE TRIGGER reference_times_are_never_changed BEFORE UPDATE ON reference_times
BEGIN SELECT RAISE(ABORT, 'reference times are never changed'); END;
CREATE TRIGGER reference_times_are_never_deleted BEFORE DELETE ON reference_times
BEGIN SELECT RAISE(ABORT, 'reference times are never deleted'); END;
