-- The counts of tools as in the response headers, what was measured, and what recovery rounds cost.
ALTER TABLE "request_log"
  ADD COLUMN "tools_offered" INTEGER,
  ADD COLUMN "tools_pruned" INTEGER,
  ADD COLUMN "tool_tokens_saved" BIGINT,
  ADD COLUMN "recovery_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "recovery_tokens_deducted" BIGINT NOT NULL DEFAULT 0;

-- The hourly sums outlive the log rows. `logged_requests` and `logged_errors` count the rows that are still in the log.
ALTER TABLE "usage_hours"
  ADD COLUMN "tool_tokens_saved" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "tool_measured_requests" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "recovery_tokens" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "recovery_tokens_deducted" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "gross_savings_usd" DECIMAL(28,12) NOT NULL DEFAULT 0,
  ADD COLUMN "gross_requests" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "pruned_requests" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "cancelled_requests" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "truncated_requests" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "interrupted_requests" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "logged_requests" BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN "logged_errors" BIGINT NOT NULL DEFAULT 0;

-- Rows are changed in the order of their keys, so that two batches never wait for each other's. A deleted log row stays in the
-- sums. Deleting an account deletes its sums.
CREATE OR REPLACE FUNCTION roll_up_usage() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  changed text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT 1 AS sign, 1 AS logged, * FROM added'
    WHEN 'DELETE' THEN 'SELECT 0 AS sign, -1 AS logged, * FROM removed'
    ELSE 'SELECT 1 AS sign, 1 AS logged, * FROM added UNION ALL SELECT -1 AS sign, -1 AS logged, * FROM removed'
  END;
BEGIN
  EXECUTE format($statement$
    INSERT INTO usage_hours AS hours (account_id, hour, key_id,
      requests, errors, prompt_tokens, completion_tokens, cached_tokens, tools_in, tools_out,
      estimated_tokens_saved, compression_tokens_saved, cost_usd, provider_savings_usd, measured_requests,
      priced_requests, unpriced_requests, saving_requests, tool_tokens_saved, tool_measured_requests,
      recovery_tokens, recovery_tokens_deducted, gross_savings_usd, gross_requests, pruned_requests, cancelled_requests,
      truncated_requests, interrupted_requests, logged_requests, logged_errors)
    SELECT account_id, date_trunc('hour', created_at, 'UTC') AS hour, key_id,
      sum(sign),
      sum(sign * (status = 'error')::int),
      sum(sign * coalesce(prompt_tokens, 0)),
      sum(sign * coalesce(completion_tokens, 0)),
      sum(sign * coalesce(cached_tokens, 0)),
      sum(sign * tools_in),
      sum(sign * tools_out),
      sum(sign * estimated_tokens_saved),
      sum(sign * compression_tokens_saved),
      sum(sign * coalesce(cost_usd, 0)),
      sum(sign * coalesce(provider_savings_usd, 0)),
      sum(sign * (prompt_tokens IS NOT NULL)::int),
      sum(sign * (cost_usd IS NOT NULL)::int),
      sum(sign * (prompt_tokens IS NOT NULL AND cost_usd IS NULL)::int),
      sum(sign * (provider_savings_usd IS NOT NULL)::int),
      sum(sign * coalesce(tool_tokens_saved, 0)),
      sum(sign * (tool_tokens_saved IS NOT NULL)::int),
      sum(sign * recovery_tokens),
      sum(sign * recovery_tokens_deducted),
      sum(sign * coalesce(gross_savings_usd, 0)),
      sum(sign * (gross_savings_usd IS NOT NULL)::int),
      sum(sign * (coalesce(tools_pruned, tools_in - tools_out) > 0)::int),
      sum(sign * (status = 'cancelled')::int),
      sum(sign * (status = 'truncated')::int),
      sum(sign * (status = 'interrupted')::int),
      sum(logged),
      sum(logged * (status = 'error')::int)
    FROM (%s) AS changed
    GROUP BY account_id, hour, key_id ORDER BY account_id, hour, key_id
    ON CONFLICT (account_id, hour, key_id) DO UPDATE SET
      requests = hours.requests + excluded.requests,
      errors = hours.errors + excluded.errors,
      prompt_tokens = hours.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = hours.completion_tokens + excluded.completion_tokens,
      cached_tokens = hours.cached_tokens + excluded.cached_tokens,
      tools_in = hours.tools_in + excluded.tools_in,
      tools_out = hours.tools_out + excluded.tools_out,
      estimated_tokens_saved = hours.estimated_tokens_saved + excluded.estimated_tokens_saved,
      compression_tokens_saved = hours.compression_tokens_saved + excluded.compression_tokens_saved,
      cost_usd = hours.cost_usd + excluded.cost_usd,
      provider_savings_usd = hours.provider_savings_usd + excluded.provider_savings_usd,
      measured_requests = hours.measured_requests + excluded.measured_requests,
      priced_requests = hours.priced_requests + excluded.priced_requests,
      unpriced_requests = hours.unpriced_requests + excluded.unpriced_requests,
      saving_requests = hours.saving_requests + excluded.saving_requests,
      tool_tokens_saved = hours.tool_tokens_saved + excluded.tool_tokens_saved,
      tool_measured_requests = hours.tool_measured_requests + excluded.tool_measured_requests,
      recovery_tokens = hours.recovery_tokens + excluded.recovery_tokens,
      recovery_tokens_deducted = hours.recovery_tokens_deducted + excluded.recovery_tokens_deducted,
      gross_savings_usd = hours.gross_savings_usd + excluded.gross_savings_usd,
      gross_requests = hours.gross_requests + excluded.gross_requests,
      pruned_requests = hours.pruned_requests + excluded.pruned_requests,
      cancelled_requests = hours.cancelled_requests + excluded.cancelled_requests,
      truncated_requests = hours.truncated_requests + excluded.truncated_requests,
      interrupted_requests = hours.interrupted_requests + excluded.interrupted_requests,
      logged_requests = hours.logged_requests + excluded.logged_requests,
      logged_errors = hours.logged_errors + excluded.logged_errors
  $statement$, changed);
  IF TG_OP = 'DELETE' THEN
    -- The sums of a deleted account are gone, and the statement above may have made an empty row in their place.
    DELETE FROM usage_hours AS hours
    USING (SELECT DISTINCT account_id, date_trunc('hour', created_at, 'UTC') AS hour, key_id FROM removed) AS emptied
    WHERE hours.account_id = emptied.account_id AND hours.hour = emptied.hour AND hours.key_id = emptied.key_id
      AND hours.requests = 0;
  END IF;
  RETURN NULL;
END
$function$;

-- Up to here the sums equal the log, so they can be made from it.
DELETE FROM usage_hours;
INSERT INTO usage_hours (account_id, hour, key_id,
  requests, errors, prompt_tokens, completion_tokens, cached_tokens, tools_in, tools_out,
  estimated_tokens_saved, compression_tokens_saved, cost_usd, provider_savings_usd, measured_requests,
  priced_requests, unpriced_requests, saving_requests, tool_tokens_saved, tool_measured_requests,
  recovery_tokens, recovery_tokens_deducted, gross_savings_usd, gross_requests, pruned_requests, cancelled_requests,
  truncated_requests, interrupted_requests, logged_requests, logged_errors)
SELECT account_id, date_trunc('hour', created_at, 'UTC') AS hour, key_id,
  sum(1),
  sum((status = 'error')::int),
  sum(coalesce(prompt_tokens, 0)),
  sum(coalesce(completion_tokens, 0)),
  sum(coalesce(cached_tokens, 0)),
  sum(tools_in),
  sum(tools_out),
  sum(estimated_tokens_saved),
  sum(compression_tokens_saved),
  sum(coalesce(cost_usd, 0)),
  sum(coalesce(provider_savings_usd, 0)),
  sum((prompt_tokens IS NOT NULL)::int),
  sum((cost_usd IS NOT NULL)::int),
  sum((prompt_tokens IS NOT NULL AND cost_usd IS NULL)::int),
  sum((provider_savings_usd IS NOT NULL)::int),
  sum(coalesce(tool_tokens_saved, 0)),
  sum((tool_tokens_saved IS NOT NULL)::int),
  sum(recovery_tokens),
  sum(recovery_tokens_deducted),
  sum(coalesce(gross_savings_usd, 0)),
  sum((gross_savings_usd IS NOT NULL)::int),
  sum((coalesce(tools_pruned, tools_in - tools_out) > 0)::int),
  sum((status = 'cancelled')::int),
  sum((status = 'truncated')::int),
  sum((status = 'interrupted')::int),
  sum(1),
  sum((status = 'error')::int)
FROM request_log GROUP BY account_id, hour, key_id;
