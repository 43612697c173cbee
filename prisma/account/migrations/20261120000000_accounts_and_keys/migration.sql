CREATE TABLE "accounts" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "provisioned_as" TEXT NOT NULL,
    "is_demo" BOOLEAN NOT NULL DEFAULT false,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "accounts_name_check" CHECK (char_length("name") BETWEEN 1 AND 200),
    CONSTRAINT "accounts_epoch_check" CHECK ("epoch" >= 0)
);

CREATE UNIQUE INDEX "accounts_provisioned_as_key" ON "accounts"("provisioned_as");

CREATE TABLE "account_policies" (
    "account_id" UUID NOT NULL,
    "rate_limit_rpm" INTEGER NOT NULL DEFAULT 600,
    "daily_token_budget" BIGINT NOT NULL DEFAULT 5000000,
    "weekly_token_budget" BIGINT NOT NULL DEFAULT 25000000,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_policies_pkey" PRIMARY KEY ("account_id"),
    CONSTRAINT "account_policies_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "account_policies_limits_check" CHECK ("rate_limit_rpm" >= 1 AND "daily_token_budget" >= 0 AND "weekly_token_budget" >= 0)
);

CREATE TABLE "routing_preferences" (
    "account_id" UUID NOT NULL,
    "pruning_mode" TEXT NOT NULL DEFAULT 'on',
    "pruning_recall_target" DOUBLE PRECISION NOT NULL DEFAULT 0.95,
    "compression_mode" TEXT NOT NULL DEFAULT 'lossless',
    "compression_apply_without_tools" BOOLEAN NOT NULL DEFAULT false,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "routing_preferences_pkey" PRIMARY KEY ("account_id"),
    CONSTRAINT "routing_preferences_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "routing_preferences_pruning_mode_check" CHECK ("pruning_mode" IN ('on', 'shadow', 'off')),
    CONSTRAINT "routing_preferences_recall_target_check" CHECK ("pruning_recall_target" BETWEEN 0.5 AND 0.9999),
    CONSTRAINT "routing_preferences_compression_mode_check" CHECK ("compression_mode" IN ('off', 'lossless', 'balanced'))
);

CREATE TABLE "api_keys" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "prefix" TEXT NOT NULL,
    "last4" TEXT NOT NULL,
    "rate_limit_rpm" INTEGER,
    "daily_token_budget" BIGINT,
    "weekly_token_budget" BIGINT,
    "k_target_override" SMALLINT,
    "allowed_tools" JSONB,
    "denied_tools" JSONB,
    "tool_list_bytes" INTEGER NOT NULL DEFAULT 0,
    "epoch" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "api_keys_name_check" CHECK (char_length("name") BETWEEN 1 AND 200),
    CONSTRAINT "api_keys_key_hash_check" CHECK (octet_length("key_hash") = 32),
    CONSTRAINT "api_keys_shown_check" CHECK (char_length("prefix") = 11 AND char_length("last4") = 4),
    CONSTRAINT "api_keys_limits_check" CHECK ("rate_limit_rpm" >= 1 AND "daily_token_budget" >= 0 AND "weekly_token_budget" >= 0),
    CONSTRAINT "api_keys_k_target_override_check" CHECK ("k_target_override" BETWEEN 1 AND 512),
    CONSTRAINT "api_keys_tool_lists_check" CHECK (jsonb_typeof("allowed_tools") = 'array' AND jsonb_typeof("denied_tools") = 'array'),
    CONSTRAINT "api_keys_expires_at_check" CHECK ("expires_at" > "created_at")
);

CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys"("key_hash");

CREATE INDEX "api_keys_account_id_created_at_idx" ON "api_keys"("account_id", "created_at" DESC);
