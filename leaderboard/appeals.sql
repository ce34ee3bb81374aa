
-- What version 4 has beyond the tables above, in a file of its own, because a database of version 3 gets just this.

-- Runs that were timed again beside their neighbours on the board, because somebody doubted a time. No rank follows from it: a
-- teacher who wants one to be another says so by a ruling.
CREATE TABLE appeals (
    id            INTEGER PRIMARY KEY,
    time_utc      TEXT NOT NULL,
    run           INTEGER NOT NULL,  -- id of a row of `runs`
    person        TEXT NOT NULL,     -- who had it timed again
    why           TEXT NOT NULL,     -- '': nobody said
    driver        TEXT NOT NULL,     -- this and the next three as they were when it was timed again
    toolkit       TEXT NOT NULL,
    judge         TEXT NOT NULL,
    sandbox       TEXT NOT NULL,
    rank          INTEGER CHECK (rank >= 1),       -- on the board as it was; NULL: the run did not rank
    rank_again    INTEGER CHECK (rank_again >= 1), -- as the new times alone would have it; NULL: there is none
    times         TEXT NOT NULL      -- of the run and of its neighbours, both figures of each, as JSON
) STRICT;

CREATE INDEX appeals_of_a_run ON appeals (run);

CREATE TRIGGER appeals_are_never_changed BEFORE UPDATE ON appeals
BEGIN SELECT RAISE(ABORT, 'appeals are never changed'); END;
CREATE TRIGGER appeals_are_never_deleted BEFORE DELETE ON appeals
BEGIN SELECT RAISE(ABORT, 'appeals are never deleted'); END;
