CREATE TABLE "ledger_entries" (
    "request_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "account_id" UUID NOT NULL,
    "key_id" UUID,
    "estimated_tokens_saved" BIGINT NOT NULL,
    "compression_tokens_saved" BIGINT NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("request_id"),
    CONSTRAINT "ledger_entries_saved_check" CHECK ("estimated_tokens_saved" >= 0 AND "compression_tokens_saved" >= 0)
);

CREATE INDEX "ledger_entries_account_id_at_idx" ON "ledger_entries"("account_id", "at");

CREATE TABLE "ledger_months" (
    "account_id" UUID NOT NULL,
    "month" TIMESTAMPTZ(3) NOT NULL,
    "requests" BIGINT NOT NULL,
    "estimated_tokens_saved" BIGINT NOT NULL,
    "compression_tokens_saved" BIGINT NOT NULL,

    CONSTRAINT "ledger_months_pkey" PRIMARY KEY ("account_id", "month")
);

CREATE TABLE "stripe_customers" (
    "account_id" UUID NOT NULL,
    "customer_id" TEXT NOT NULL,
    "subscription_id" TEXT,
    "status" TEXT,
    "price_id" TEXT,
    "current_period_start" TIMESTAMPTZ(3),
    "current_period_end" TIMESTAMPTZ(3),
    "cancel_at_period_end" BOOLEAN NOT NULL DEFAULT false,
    "synced_at" TIMESTAMPTZ(3),

    CONSTRAINT "stripe_customers_pkey" PRIMARY KEY ("account_id")
);

CREATE UNIQUE INDEX "stripe_customers_customer_id_key" ON "stripe_customers"("customer_id");

CREATE TABLE "stripe_events" (
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "signed_at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "stripe_events_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "stripe_events_received_at_idx" ON "stripe_events"("received_at");

CREATE TABLE "forgotten_accounts" (
    "account_id" UUID NOT NULL,
    "forgotten_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "forgotten_accounts_pkey" PRIMARY KEY ("account_id")
);

-- The ledger is append-only for whoever writes to it, this service among them. A forgotten account's names may be replaced.
CREATE FUNCTION keep_ledger() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF ROW(NEW.request_id, NEW.at, NEW.estimated_tokens_saved, NEW.compression_tokens_saved, NEW.recorded_at)
      IS NOT DISTINCT FROM ROW(OLD.request_id, OLD.at, OLD.estimated_tokens_saved, OLD.compression_tokens_saved, OLD.recorded_at)
      AND NEW.account_id <> OLD.account_id AND NEW.key_id IS NULL
      AND EXISTS (SELECT FROM forgotten_accounts WHERE forgotten_accounts.account_id = OLD.account_id)
    THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the ledger is append-only' USING ERRCODE = 'integrity_constraint_violation';
END
$function$;

CREATE TRIGGER keep_ledger_rows BEFORE UPDATE OR DELETE ON ledger_entries
  FOR EACH ROW EXECUTE FUNCTION keep_ledger();
CREATE TRIGGER keep_ledger_whole BEFORE TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION keep_ledger();

-- In the order of their keys, so that two batches never wait for each other's.
CREATE FUNCTION roll_up_ledger() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  changed text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT 1 AS sign, * FROM added'
    ELSE 'SELECT 1 AS sign, * FROM added UNION ALL SELECT -1 AS sign, * FROM removed'
  END;
BEGIN
  EXECUTE format($statement$
    INSERT INTO ledger_months AS months
      (account_id, month, requests, estimated_tokens_saved, compression_tokens_saved)
    SELECT account_id, date_trunc('month', at, 'UTC') AS month, sum(sign),
      sum(sign * estimated_tokens_saved), sum(sign * compression_tokens_saved)
    FROM (%s) AS changed
    GROUP BY account_id, month ORDER BY account_id, month
    ON CONFLICT (account_id, month) DO UPDATE SET
      requests = months.requests + excluded.requests,
      estimated_tokens_saved = months.estimated_tokens_saved + excluded.estimated_tokens_saved,
      compression_tokens_saved = months.compression_tokens_saved + excluded.compression_tokens_saved
  $statement$, changed);
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM ledger_months AS months USING (SELECT DISTINCT account_id FROM removed) AS renamed
    WHERE months.account_id = renamed.account_id AND months.requests = 0;
  END IF;
  RETURN NULL;
END
$function$;

CREATE TRIGGER roll_up_added AFTER INSERT ON ledger_entries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roll_up_ledger();
CREATE TRIGGER roll_up_renamed AFTER UPDATE ON ledger_entries
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION roll_up_ledger();
