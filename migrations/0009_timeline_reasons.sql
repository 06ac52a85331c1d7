-- Why: the timeline also tells changes of reason, and later things that are no moves. Each entry says what it is, and only
-- a move has states.
-- Lock: ACCESS EXCLUSIVE on timeline while the columns change, without a rewrite; entries that were no moves are then
-- updated in place.

ALTER TABLE timeline
  ADD COLUMN kind text NOT NULL DEFAULT 'move',
  ALTER COLUMN from_state DROP NOT NULL,
  ALTER COLUMN to_state DROP NOT NULL;

UPDATE timeline SET kind = 'reason', from_state = NULL, to_state = NULL WHERE from_state = to_state;

ALTER TABLE timeline
  ADD CONSTRAINT moves_have_states CHECK ((kind = 'move') = (from_state IS NOT NULL AND to_state IS NOT NULL));
