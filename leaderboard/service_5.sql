-- What version 5 adds to the tables of service.sql and service_2.sql to service_4.sql.

-- 1: whoever has the token judges (docs/reference/api.md), and may nothing else.
ALTER TABLE token ADD COLUMN works INTEGER NOT NULL DEFAULT 0 CHECK (works IN (0, 1));

UPDATE service_version SET version = 5;
