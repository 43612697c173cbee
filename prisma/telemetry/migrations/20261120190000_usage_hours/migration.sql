-- Sums of the request log by account, key and hour (UTC). Triggers keep them in the transaction that changes the log, so that
-- they equal it at every instant. They can be made anew from it, as the end of this file does.
CREATE TABLE "usage_hours" (
    "account_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "key_id" UUID NOT NULL,
    "requests" BIGINT NOT NULL,
    "errors" BIGINT NOT NULL,
    "prompt_tokens" BIGINT NOT NULL,
    "completion_tokens" BIGINT NOT NULL,
    "cached_tokens" BIGINT NOT NULL,
    "tools_in" BIGINT NOT NULL,
    "tools_out" BIGINT NOT NULL,
    "estimated_tokens_saved" BIGINT NOT NULL,
    "compression_tokens_saved" BIGINT NOT NULL,
    "cost_usd" DECIMAL(28,12) NOT NULL,
    "provider_savings_usd" DECIMAL(28,12) NOT NULL,
    "measured_requests" BIGINT NOT NULL,
    "priced_requests" BIGINT NOT NULL,
    "unpriced_requests" BIGINT NOT NULL,
    "saving_requests" BIGINT NOT NULL,

    CONSTRAINT "usage_hours_pkey" PRIMARY KEY ("account_id", "hour", "key_id")
);

-- Rows are changed in the order of their keys, so that two batches never wait for each other's.
CREATE FUNCTION roll_up_usage() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  changed text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT 1 AS sign, * FROM added'
    WHEN 'DELETE' THEN 'SELECT -1 AS sign, * FROM removed'
    ELSE 'SELECT 1 AS sign, * FROM added UNION ALL SELECT -1 AS sign, * FROM removed'
  END;
BEGIN
  EXECUTE format($statement$
    INSERT INTO usage_hours AS hours (account_id, hour, key_id,
      requests, errors, prompt_tokens, completion_tokens, cached_tokens, tools_in, tools_out,
      estimated_tokens_saved, compression_tokens_saved, cost_usd, provider_savings_usd, measured_requests,
      priced_requests, unpriced_requests, saving_requests)
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
      sum(sign * (provider_savings_usd IS NOT NULL)::int)
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
      saving_requests = hours.saving_requests + excluded.saving_requests
  $statement$, changed);
  IF TG_OP = 'DELETE' THEN
    DELETE FROM usage_hours AS hours
    USING (SELECT DISTINCT account_id, date_trunc('hour', created_at, 'UTC') AS hour, key_id FROM removed) AS emptied
    WHERE hours.account_id = emptied.account_id AND hours.hour = emptied.hour AND hours.key_id = emptied.key_id
      AND hours.requests = 0;
  END IF;
  RETURN NULL;
END
$function$;

CREATE TRIGGER roll_up_added AFTER INSERT ON request_log
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roll_up_usage();
CREATE TRIGGER roll_up_changed AFTER UPDATE ON request_log
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roll_up_usage();
CREATE TRIGGER roll_up_removed AFTER DELETE ON request_log
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION roll_up_usage();

INSERT INTO usage_hours (account_id, hour, key_id,
  requests, errors, prompt_tokens, completion_tokens, cached_tokens, tools_in, tools_out,
  estimated_tokens_saved, compression_tokens_saved, cost_usd, provider_savings_usd, measured_requests,
  priced_requests, unpriced_requests, saving_requests)
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
  sum((provider_savings_usd IS NOT NULL)::int)
FROM request_log GROUP BY account_id, hour, key_id;
