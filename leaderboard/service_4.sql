-- What version 4 adds to the tables of service.sql, service_2.sql and service_3.sql. An edition is the digest of the files that a problem's
-- submissions are judged by (grader/problem/problem_edition.h); the server keeps a copy of each.

-- By which the judging was offered; NULL: it was not offered yet, or by an earlier version.
ALTER TABLE judging ADD COLUMN edition TEXT;

-- Of the problem when the batch was begun.
ALTER TABLE batch ADD COLUMN edition TEXT;
-- By which what is handed in while the batch is open counts; NULL: the batch's own.
ALTER TABLE batch ADD COLUMN edition_before TEXT;

-- By which what is handed in for a problem counts, as far as it was judged.
CREATE TABLE counting_edition (
    problem       TEXT PRIMARY KEY,
    edition       TEXT NOT NULL,
    revision      TEXT NOT NULL          -- of the problem in this edition: what its boards are of
) STRICT, WITHOUT ROWID;

UPDATE service_version SET version = 4;
