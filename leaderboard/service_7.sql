-- The tables of the service, since version 7: names that people had, and people who are gone; the numbers of runs after a restored copy.

-- Names that are given to nobody else, since pages, mails and files of a class have them. Whoever comes by one is the person.
CREATE TABLE former_name (
    name          TEXT PRIMARY KEY,
    person        INTEGER NOT NULL REFERENCES person,
    since_utc     TEXT NOT NULL          -- that it is one
) STRICT, WITHOUT ROWID;

-- From then on the person comes in by no way; NULL: is there. A new token lets the person in again.
ALTER TABLE person ADD COLUMN removed_utc TEXT;

-- As for submissions: the least number that the next run may have.
ALTER TABLE next_number ADD COLUMN run INTEGER NOT NULL DEFAULT 1;

-- What pages say of workers.
CREATE INDEX attempt_of_a_worker ON attempt (worker, outcome, offered_utc, ended_utc);

UPDATE service_version SET version = 7;
