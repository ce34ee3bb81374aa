-- What version 3 adds to the tables of service.sql and service_2.sql.

-- 'hand_in': whoever has the token hands in for others, sees what became of that, and may nothing else.
ALTER TABLE token ADD COLUMN scope TEXT NOT NULL DEFAULT 'all' CHECK (scope IN ('all', 'hand_in'));

-- Who has handed in a submission for its author.
CREATE TABLE handed_in_for (
    submission    INTEGER PRIMARY KEY REFERENCES submission,
    by_person     INTEGER NOT NULL REFERENCES person
) STRICT;

UPDATE service_version SET version = 3;
