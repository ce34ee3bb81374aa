-- The leaderboard's database. docs/reference/formats.md explains the columns that need more than their name.
-- Whoever changes a table raises user_version here and STORE_SCHEMA_VERSION in store.h, and says in store_open.c how an
-- older database becomes a new one. Rows of all tables are added, never changed.

PRAGMA user_version = 8;

-- One row for each submission that was judged, whatever its verdict.
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
    rank_status   TEXT NOT NULL,     -- "ranked", or "not ranked: " or "quarantined: " and why
    score_ms      REAL CHECK (score_ms > 0),
    uncertainty   REAL CHECK (uncertainty >= 0), -- of score_ms, relative: 0.005 is half a percent
    machine_code  TEXT,              -- hash of everything that runs, for device and host
    source_hash   TEXT NOT NULL,     -- of a row of `sources`
    file_name     TEXT NOT NULL,     -- of the source, as its author called it
    sitting       TEXT NOT NULL,     -- what the times follow from besides the samples, as JSON
    cases         TEXT NOT NULL      -- the `cases` of result.json
) STRICT;

CREATE TRIGGER runs_are_never_changed BEFORE UPDATE ON runs
BEGIN SELECT RAISE(ABORT, 'runs are never changed'); END;
CREATE TRIGGER runs_are_never_deleted BEFORE DELETE ON runs
BEGIN SELECT RAISE(ABORT, 'runs are never deleted'); END;

-- The text of each submission, once however often it is handed in.
CREATE TABLE sources (
    id            INTEGER PRIMARY KEY,
    source_hash   TEXT NOT NULL UNIQUE,
    source        TEXT NOT NULL
) STRICT;

CREATE TRIGGER sources_are_never_changed BEFORE UPDATE ON sources
BEGIN SELECT RAISE(ABORT, 'sources are never changed'); END;
CREATE TRIGGER sources_are_never_deleted BEFORE DELETE ON sources
BEGIN SELECT RAISE(ABORT, 'sources are never deleted'); END;

-- What a teacher decided about a run. The newest ruling of a run is in force.
CREATE TABLE rulings (
    id            INTEGER PRIMARY KEY,
    time_utc      TEXT NOT NULL,
    run           INTEGER NOT NULL,  -- id of a row of `runs`
    kind          TEXT NOT NULL CHECK (kind IN ('retract', 'accept', 'reject')),
    why           TEXT NOT NULL CHECK (why <> ''),
    person        TEXT NOT NULL      -- who decided it
) STRICT;

CREATE INDEX rulings_of_a_run ON rulings (run);

CREATE TRIGGER rulings_are_never_changed BEFORE UPDATE ON rulings
BEGIN SELECT RAISE(ABORT, 'rulings are never changed'); END;
CREATE TRIGGER rulings_are_never_deleted BEFORE DELETE ON rulings
BEGIN SELECT RAISE(ABORT, 'rulings are never deleted'); END;

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
    source_hash   TEXT NOT NULL,
    sitting       TEXT NOT NULL,     -- as in `runs`
    cases         TEXT NOT NULL      -- the `cases` of result.json
) STRICT;

CREATE INDEX reference_times_of_a_board ON reference_times (problem, revision, device, epoch);

CREATE TRIGGER reference_times_are_never_changed BEFORE UPDATE ON reference_times
BEGIN SELECT RAISE(ABORT, 'reference times are never changed'); END;
CREATE TRIGGER reference_times_are_never_deleted BEFORE DELETE ON reference_times
BEGIN SELECT RAISE(ABORT, 'reference times are never deleted'); END;
