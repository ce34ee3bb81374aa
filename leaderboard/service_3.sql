-- What version 3 adds to the tables of service.sql and service_2.sql.

-- 'hand_in': whoever has the token hands in for others, sees what became of that, and may nothing else.
ALTER TABLE token ADD COLUMN scope TEXT NOT NULL DEFAULT 'all' CHECK (scope IN ('all', 'hand_in'));

-- Who has handed in a submission for its author.
CREATE TABLE handed_in_for (
    submission    INTEGER PRIMARY KEY REFERENCES submission,
    by_person     INTEGER NOT NULL REFERENCES person
) STRICT;

-- Students who want a run of theirs timed again. Whether that was done, `appeals` says.
CREATE TABLE appeal_request (
    id            INTEGER PRIMARY KEY,
    run           INTEGER NOT NULL,      -- id of a row of `runs`
    submission    INTEGER NOT NULL REFERENCES submission,
    person        INTEGER NOT NULL REFERENCES person,
    why           TEXT NOT NULL,
    asked_utc     TEXT NOT NULL,
    asked_s       INTEGER NOT NULL,      -- the same moment, since 1970
    state         TEXT NOT NULL CHECK (state IN ('asked', 'granted', 'refused')),
    decided_by    TEXT,                  -- a name
    decided_utc   TEXT,
    answer        TEXT                   -- what the teacher said; '': nothing
) STRICT;

CREATE INDEX appeal_request_of_a_run ON appeal_request (run);
CREATE INDEX appeal_request_of_a_person ON appeal_request (person, asked_s);

UPDATE service_version SET version = 3;
