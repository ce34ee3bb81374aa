-- The tables of the service, since version 8: what points depend on.

-- Of a result.json, what points are counted from, so that a class's points do not take the reading of all of it. An accepted submission
-- has passed all cases.
CREATE VIEW result_facts AS
SELECT judging, json_patch('{}', json_object(
    'score_ms', result -> 'score_ms', 'uncertainty', result -> 'uncertainty', 'model_terms', result -> 'model_terms',
    'roofline', result -> 'roofline', 'percentile', result -> 'percentile',
    'cases', iif(result ->> 'verdict' = 'Accepted', NULL,
                 (SELECT json_group_array(json_patch('{}', json_object('name', value -> 'name', 'verdict', value -> 'verdict',
                                                                      'timed', value -> 'timed', 'sizes', value -> 'sizes')))
                  FROM json_each(result, '$.cases') WHERE type = 'object' AND value ->> 'verdict' <> 'not run')))) AS text,
    coalesce(result -> 'references', '[]') AS rungs
FROM (SELECT judging, iif(json_valid(text), text, '{}') AS result FROM document WHERE kind = 'result');

CREATE TABLE judged_fact (
    judging       INTEGER PRIMARY KEY REFERENCES judging,
    text          TEXT NOT NULL,
    rungs         TEXT NOT NULL          -- its "references", which few classes give points by
) STRICT;

CREATE TRIGGER results_fill_judged_fact AFTER INSERT ON document WHEN new.kind = 'result'
BEGIN INSERT INTO judged_fact SELECT * FROM result_facts WHERE judging = new.judging; END;
CREATE TRIGGER results_take_judged_fact AFTER DELETE ON document WHEN old.kind = 'result'
BEGIN DELETE FROM judged_fact WHERE judging = old.judging; END;

INSERT INTO judged_fact SELECT * FROM result_facts;

UPDATE service_version SET version = 8;
