-- What version 2 adds to the tables of service.sql. New databases and those of version 1 run the same statements, so that both have one
-- schema.

-- What was handed in to another system, and taken in from its export (service/intake).
CREATE TABLE taken_in (
    submission    INTEGER PRIMARY KEY REFERENCES submission,
    origin        TEXT NOT NULL,         -- the file in the export: "Ada Lovelace_17_assignsubmission_file_/work.zip/kernel.cu"
    received_s    INTEGER,               -- when that system got it, since 1970; NULL: unknown, and that of `submission` says nothing, either
    marked_late   INTEGER NOT NULL CHECK (marked_late IN (0, 1)) -- by that system
) STRICT;

-- The extensions of a class.json as they were when it was read last (service/classroom), so that each change is noted in `audit`.
CREATE TABLE seen_extension (
    class         TEXT NOT NULL,         -- whole path of the file
    person        TEXT NOT NULL,
    assignment    TEXT NOT NULL,         -- its id
    due           TEXT NOT NULL,         -- as the file has it
    why           TEXT NOT NULL,
    given_by      TEXT NOT NULL,
    PRIMARY KEY (class, person, assignment)
) STRICT, WITHOUT ROWID;

-- 1: class.json lists the person in this group, else the person has joined it by its link.
ALTER TABLE membership ADD COLUMN by_class INTEGER NOT NULL DEFAULT 0 CHECK (by_class IN (0, 1));

-- The problems whose sample and hidden cases are all judged, since class.json gives points for groups of them.
CREATE TABLE wants_all_cases (
    problem       TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- What such a judging found of each case: for points alone, no page shows it.
CREATE TABLE case_verdicts (
    judging       INTEGER PRIMARY KEY REFERENCES judging,
    text          TEXT NOT NULL          -- as `convjudge grade --all-cases` writes it
) STRICT;

-- What a rejudging leaves out, and why.
CREATE TABLE batch_skip (
    batch         INTEGER NOT NULL REFERENCES batch,
    submission    INTEGER NOT NULL,      -- a number that was asked for; there need not be such a submission
    why           TEXT NOT NULL,
    PRIMARY KEY (batch, submission)
) STRICT, WITHOUT ROWID;

UPDATE service_version SET version = 2;
