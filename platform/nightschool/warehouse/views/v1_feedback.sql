-- v1_feedback: every judgement of a session from outside it: a person's label, a true check, a benchmark's reward.
-- Grain: one judgement.
-- Key: feedback_id.
-- Columns:
--   feedback_id: the event's id
--   session_id: the session judged; of a trial, its root session
--   trial_id: the trial it belongs to
--   experiment_id: the experiment it belongs to
--   arm: the arm of that trial
--   source: where the judgement comes from: true_check, grader, user, self
--   value: what it is worth (0 to 1)
--   decision: accept or reject, of a person's label; null otherwise
--   score: the score that the result deserves (0 to 1), where a person corrected it
--   comment: what was said about it
--   given_by: who judged; null where that is not recorded
--   given_at: when it was judged (UTC)
--   is_latest: whether it is the last word of this source and person on this session
CREATE OR REPLACE VIEW v1_feedback AS
WITH given AS (
    SELECT
        event_id AS feedback_id,
        session_id,
        trial_id,
        experiment_id,
        arm,
        name AS source,
        value,
        event ->> '$.decision' AS decision,
        TRY_CAST(event ->> '$.score' AS DOUBLE) AS score,
        content AS comment,
        event ->> '$.given_by' AS given_by,
        processed_at AS given_at,
        seq
    FROM all_events
    WHERE type = 'feedback.recorded'
)

SELECT
    feedback_id,
    session_id,
    trial_id,
    experiment_id,
    arm,
    source,
    value,
    decision,
    score,
    comment,
    given_by,
    given_at,
    seq = max(seq) OVER (PARTITION BY session_id, source, given_by) AS is_latest
FROM given;
