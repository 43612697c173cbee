-- What recovery rounds cost, so that an account is credited only with what was saved net of them.
ALTER TABLE "ledger_entries" ADD COLUMN "recovery_tokens_deducted" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_net_check" CHECK (
  "recovery_tokens_deducted" >= 0
  AND "recovery_tokens_deducted" <= "estimated_tokens_saved" + "compression_tokens_saved"
);
ALTER TABLE "ledger_months" ADD COLUMN "recovery_tokens_deducted" BIGINT NOT NULL DEFAULT 0;

CREATE OR REPLACE FUNCTION keep_ledger() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF ROW(NEW.request_id, NEW.at, NEW.estimated_tokens_saved, NEW.compression_tokens_saved, NEW.recovery_tokens_deducted, NEW.recorded_at)
      IS NOT DISTINCT FROM ROW(OLD.request_id, OLD.at, OLD.estimated_tokens_saved, OLD.compression_tokens_saved, OLD.recovery_tokens_deducted, OLD.recorded_at)
      AND NEW.account_id <> OLD.account_id AND NEW.key_id IS NULL
      AND EXISTS (SELECT FROM forgotten_accounts WHERE forgotten_accounts.account_id = OLD.account_id)
    THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the ledger is append-only' USING ERRCODE = 'integrity_constraint_violation';
END
$function$;

-- In the order of their keys, so that two batches never wait for each other's.
CREATE OR REPLACE FUNCTION roll_up_ledger() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  changed text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT 1 AS sign, * FROM added'
    ELSE 'SELECT 1 AS sign, * FROM added UNION ALL SELECT -1 AS sign, * FROM removed'
  END;
BEGIN
  EXECUTE format($statement$
    INSERT INTO ledger_months AS months
      (account_id, month, requests, estimated_tokens_saved, compression_tokens_saved, recovery_tokens_deducted)
    SELECT account_id, date_trunc('month', at, 'UTC') AS month, sum(sign),
      sum(sign * estimated_tokens_saved), sum(sign * compression_tokens_saved), sum(sign * recovery_tokens_deducted)
    FROM (%s) AS changed
    GROUP BY account_id, month ORDER BY account_id, month
    ON CONFLICT (account_id, month) DO UPDATE SET
      requests = months.requests + excluded.requests,
      estimated_tokens_saved = months.estimated_tokens_saved + excluded.estimated_tokens_saved,
      compression_tokens_saved = months.compression_tokens_saved + excluded.compression_tokens_saved,
      recovery_tokens_deducted = months.recovery_tokens_deducted + excluded.recovery_tokens_deducted
  $statement$, changed);
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM ledger_months AS months USING (SELECT DISTINCT account_id FROM removed) AS renamed
    WHERE months.account_id = renamed.account_id AND months.requests = 0;
  END IF;
  RETURN NULL;
END
$function$;
