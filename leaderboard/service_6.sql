-- What version 6 adds to the tables of service.sql and service_2.sql to service_5.sql.

-- The number of the author in the export, where it has one: "17" of Canvas's "lovelaceada_17_42_x.cu".
ALTER TABLE taken_in ADD COLUMN person_id TEXT NOT NULL DEFAULT '';

-- What `convjudge grade-class` found in a folder and could not take, as of the last time that it read this folder.
CREATE TABLE refused_file (
    folder        TEXT NOT NULL,         -- its whole path
    origin        TEXT NOT NULL,         -- the file in it: "ada.zip"
    person        TEXT NOT NULL,         -- whose it is; "": the name says nothing of it
    assignment    TEXT NOT NULL,         -- its id, where the folder names it; ""
    why           TEXT NOT NULL,         -- "is no archive that can be read"
    PRIMARY KEY (folder, origin, person)
) STRICT, WITHOUT ROWID;

-- The least number that the next submission may have. A store that was restored from a copy leaves out those that were given after the
-- copy: they stand in mails and on pages.
CREATE TABLE next_number (
    submission    INTEGER NOT NULL
) STRICT;
INSERT INTO next_number SELECT coalesce(max(id), 0) + 1 FROM submission;

-- Of the source, for the limit of a day; 0: an earlier version took it.
ALTER TABLE submission ADD COLUMN source_bytes INTEGER NOT NULL DEFAULT 0;

-- From then on, since 1970, the group's link lets nobody in; NULL: it never ends.
ALTER TABLE class_group ADD COLUMN link_ends_s INTEGER;

UPDATE service_version SET version = 6;
