ALTER TABLE "account_policies"
    ADD COLUMN "content_logging" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "retention_days" SMALLINT NOT NULL DEFAULT 30,
    ADD COLUMN "shadow_share" DOUBLE PRECISION NOT NULL DEFAULT 0.05,
    ADD CONSTRAINT "account_policies_retention_days_check" CHECK ("retention_days" BETWEEN 1 AND 365),
    ADD CONSTRAINT "account_policies_shadow_share_check" CHECK ("shadow_share" BETWEEN 0 AND 1);

ALTER TABLE "routing_preferences"
    ADD COLUMN "mode" TEXT NOT NULL DEFAULT 'auto',
    ADD COLUMN "allowed_providers" JSONB,
    ADD COLUMN "max_cost_usd_per_mtok" DOUBLE PRECISION,
    ADD COLUMN "pruning_recovery" BOOLEAN NOT NULL DEFAULT true,
    ADD COLUMN "fallbacks" JSONB NOT NULL DEFAULT '[]',
    ADD COLUMN "on_budget_exhausted" TEXT NOT NULL DEFAULT 'pass',
    ADD CONSTRAINT "routing_preferences_mode_check" CHECK ("mode" IN ('auto', 'cheap', 'fast', 'capable')),
    ADD CONSTRAINT "routing_preferences_allowed_providers_check" CHECK (jsonb_typeof("allowed_providers") = 'array'),
    ADD CONSTRAINT "routing_preferences_max_cost_check" CHECK ("max_cost_usd_per_mtok" >= 0),
    ADD CONSTRAINT "routing_preferences_fallbacks_check" CHECK (jsonb_typeof("fallbacks") = 'array'),
    ADD CONSTRAINT "routing_preferences_on_budget_exhausted_check" CHECK ("on_budget_exhausted" IN ('pass', 'reject'));

-- A key's secret before its last rotation: it works until the overlap's end.
ALTER TABLE "api_keys"
    ADD COLUMN "previous_key_hash" BYTEA,
    ADD COLUMN "previous_valid_until" TIMESTAMPTZ(3),
    ADD CONSTRAINT "api_keys_previous_check" CHECK (
        ("previous_key_hash" IS NULL) = ("previous_valid_until" IS NULL) AND octet_length("previous_key_hash") = 32
    );

CREATE UNIQUE INDEX "api_keys_previous_key_hash_key" ON "api_keys"("previous_key_hash");

CREATE TABLE "model_toggles" (
    "account_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "is_enabled" BOOLEAN NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "model_toggles_pkey" PRIMARY KEY ("account_id", "provider", "model_id"),
    CONSTRAINT "model_toggles_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "model_toggles_names_check" CHECK (char_length("provider") BETWEEN 1 AND 64 AND char_length("model_id") BETWEEN 1 AND 256)
);
