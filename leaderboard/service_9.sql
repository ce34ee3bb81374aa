-- The tables of the service, since version 9: what a page of the class would otherwise look for in all runs.

-- Few, and each waits for a teacher.
CREATE INDEX run_in_quarantine ON runs (id) WHERE rank_status LIKE 'quarantined:%';

UPDATE service_version SET version = 9;
