-- How each tool was used on each UTC day, for every request with tools. The tool '' counts the requests. The rows outlive the log.
CREATE TABLE "tool_days" (
    "account_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "tool" TEXT NOT NULL,
    "offered" BIGINT NOT NULL,
    "forwarded" BIGINT NOT NULL,
    "called" BIGINT NOT NULL,
    "called_when_pruned" BIGINT NOT NULL,
    "denied" BIGINT NOT NULL,
    "ranked_calls" BIGINT NOT NULL,
    "rank_sum" BIGINT NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tool_days_pkey" PRIMARY KEY ("account_id", "day", "tool")
);

CREATE INDEX "tool_days_day_idx" ON "tool_days"("day");

-- The newest requests only: expanding the candidates of 1,000 requests takes a second.
WITH decisions AS MATERIALIZED (
  SELECT account_id, id, created_at, candidates, called_tools,
    coalesce(tools_pruned, tools_in - tools_out) <= 0 AS is_whole
  FROM request_log WHERE routing IS NOT NULL ORDER BY created_at DESC LIMIT 20000
), offers AS (
  SELECT account_id, id, created_at, candidate ->> 0 AS tool,
    min((candidate ->> 2)::int) AS rank,
    bool_or(is_whole OR candidate ->> 3 = '1') AS forwarded,
    bool_or(candidate ->> 0 = ANY (called_tools)) AS called
  FROM decisions CROSS JOIN LATERAL jsonb_array_elements(candidates) AS candidate
  GROUP BY account_id, id, created_at, tool
), uses AS (
  SELECT account_id, (created_at AT TIME ZONE 'UTC')::date AS day, left(tool, 256) AS tool,
    1 AS offered, forwarded::int AS forwarded, called::int AS called, (called AND NOT forwarded)::int AS called_when_pruned,
    0 AS denied, called::int AS ranked_calls, CASE WHEN called THEN rank ELSE 0 END AS rank_sum, created_at
  FROM offers WHERE tool <> ''
  UNION ALL
  SELECT account_id, (created_at AT TIME ZONE 'UTC')::date, '', 1, 0, 0, 0, 0, 0, 0, created_at FROM decisions
)
INSERT INTO tool_days (account_id, day, tool, offered, forwarded, called, called_when_pruned, denied, ranked_calls, rank_sum, last_seen_at)
SELECT account_id, day, tool, sum(offered), sum(forwarded), sum(called), sum(called_when_pruned), sum(denied),
  sum(ranked_calls), sum(rank_sum), max(created_at)
FROM uses GROUP BY account_id, day, tool;
