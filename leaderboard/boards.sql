-- What boards are read from, and where each run stands. The third part of schema.sql, since version 7; run_models since 8.

-- All that a board needs of a run, so that nothing reads its samples.
CREATE INDEX runs_of_a_board ON runs (problem, revision, device, epoch, person, machine_code, rank_status, score_ms,
                                      uncertainty, time_utc);

-- How uncertain the model is of a run's score_ms (MeasuredTime in store.h). Times that a clock took have no row.
CREATE TABLE run_models (
    run           INTEGER PRIMARY KEY, -- id of a row of `runs`
    model         TEXT NOT NULL
) STRICT;

CREATE TRIGGER run_models_are_never_changed BEFORE UPDATE ON run_models
BEGIN SELECT RAISE(ABORT, 'models of runs are never changed'); END;
CREATE TRIGGER run_models_are_never_deleted BEFORE DELETE ON run_models
BEGIN SELECT RAISE(ABORT, 'models of runs are never deleted'); END;

-- Where each run stands now: 'ranked', 'unranked', 'quarantined', 'retracted' or 'rejected'. A run that the judge did
-- not rank stays so; a quarantined one ranks once it is accepted; accepting also undoes a retraction.
CREATE VIEW board_runs AS
SELECT runs.id AS run, problem, revision, device, epoch, runs.person AS person, machine_code, score_ms, uncertainty,
       runs.time_utc AS time_utc, model,
       CASE WHEN rank_status <> 'ranked' AND rank_status NOT LIKE 'quarantined:%' THEN 'unranked'
            WHEN kind = 'retract' THEN 'retracted'
            WHEN kind = 'reject' THEN 'rejected'
            WHEN kind = 'accept' OR rank_status = 'ranked' THEN 'ranked'
            ELSE 'quarantined' END AS state
FROM runs LEFT JOIN run_models ON run_models.run = runs.id
     LEFT JOIN rulings ON rulings.id = (SELECT max(id) FROM rulings WHERE rulings.run = runs.id);

CREATE VIEW run_states AS SELECT run, state FROM board_runs;
