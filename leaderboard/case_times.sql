-- The times of the timed cases of each run, taken from its `cases` when it is recorded: a new run is held against the best of
-- them without reading all. The second part of schema.sql, since version 6.
CREATE VIEW recorded_case_times AS
SELECT problem, revision, device, epoch, item ->> 'name' AS name, item ->> 'time_ms' AS time_ms, run
FROM (SELECT problem, revision, device, epoch, runs.id AS run, iif(type = 'object', value, '{}') AS item
      FROM runs, json_each(iif(json_valid(cases), cases, '[]')) WHERE score_ms IS NOT NULL)
WHERE typeof(item ->> 'name') = 'text' AND typeof(item ->> 'time_ms') IN ('real', 'integer') AND item ->> 'time_ms' > 0;

CREATE TABLE case_times (
    problem       TEXT NOT NULL,
    revision      TEXT NOT NULL,
    device        TEXT NOT NULL,
    epoch         INTEGER NOT NULL,
    name          TEXT NOT NULL,     -- of the case
    time_ms       REAL NOT NULL,
    run           INTEGER NOT NULL,  -- id of a row of `runs`
    PRIMARY KEY (problem, revision, device, epoch, name, time_ms, run)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER runs_fill_case_times AFTER INSERT ON runs
BEGIN INSERT INTO case_times SELECT * FROM recorded_case_times WHERE run = new.id; END;
CREATE TRIGGER case_times_are_never_changed BEFORE UPDATE ON case_times
BEGIN SELECT RAISE(ABORT, 'times of cases are never changed'); END;
CREATE TRIGGER case_times_are_never_deleted BEFORE DELETE ON case_times
BEGIN SELECT RAISE(ABORT, 'times of cases are never deleted'); END;
