-- What version 2 adds to the tables of service.sql. New databases and those of version 1 run the same statements, so that both have one
-- schema.

-- What was handed in to another system, and taken in from its export (service/intake).
CREATE TABLE taken_in (
    submission    INTEGER PRIMARY KEY REFERENCES submission,
    origin        TEXT NOT NULL,         -- the file in the export: "Ada Lovelace_17_assignsubmission_file_/work.zip/kernel.cu"
    received_s    INTEGER,               -- when that system got it, since 1970; NULL: unknown, and that of `submission` says nothing, either
    marked_late   INTEGER NOT NULL CHECK (marked_late IN (0, 1)) -- by that system
) STRICT;

UPDATE service_version SET version = 2;
