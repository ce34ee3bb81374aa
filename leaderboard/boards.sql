-- What boards are read from, and where each run stands. The third part of schema.sql, since version 7.

-- All that a board needs of a run, so that nothing reads its samples.
CREATE INDEX runs_of_a_board ON runs (problem, revision, device, epoch, person, machine_code, rank_status, score_ms,
                                      uncertainty, time_utc);

-- Where each run stands now: 'ranked', 'unranked', 'quarantined', 'retracted' or 'rejected'. A run that the judge did
-- not rank stays so; a quarantined one ranks once it is accepted; accepting also undoes a retraction.
CREATE VIEW board_runs AS
SELECT runs.id AS run, problem, revision, device, epoch, runs.person AS person, machine_code, score_ms, uncertainty,
       runs.time_utc AS time_utc,
       CASE WHEN rank_status <> 'ranked' AND rank_status NOT LIKE 'quarantined:%' THEN 'unranked'
            WHEN kind = 'retract' THEN 'retracted'
            WHEN kind = 'reject' THEN 'rejected'
            WHEN kind = 'accept' OR rank_status = 'ranked' THEN 'ranked'
            ELSE 'quarantined' END AS state
FROM runs LEFT JOIN rulings ON rulings.id = (SELECT max(id) FROM rulings WHERE rulings.run = runs.id);

CREATE VIEW run_states AS SELECT run, state FROM board_runs;
