CREATE TABLE "credentials" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "base_url" TEXT,
    "hint" TEXT,
    "key_version" INTEGER NOT NULL,
    "wrapped_data_key" BYTEA NOT NULL,
    "fields" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "rotated_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "last_error" TEXT,

    CONSTRAINT "credentials_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "credentials_provider_check" CHECK (char_length("provider") BETWEEN 1 AND 64),
    CONSTRAINT "credentials_hint_check" CHECK (char_length("hint") = 4),
    CONSTRAINT "credentials_key_version_check" CHECK ("key_version" >= 1),
    CONSTRAINT "credentials_fields_check" CHECK (jsonb_typeof("fields") = 'object')
);

CREATE UNIQUE INDEX "credentials_account_id_provider_key" ON "credentials"("account_id", "provider");

CREATE INDEX "credentials_key_version_id_idx" ON "credentials"("key_version", "id");

CREATE TABLE "credential_audit" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "account_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "credential_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "recipient_key_sha256" TEXT,

    CONSTRAINT "credential_audit_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "credential_audit_action_check" CHECK ("action" IN ('put', 'open', 'delete')),
    CONSTRAINT "credential_audit_recipient_check" CHECK (("action" = 'open') = ("recipient_key_sha256" IS NOT NULL))
);

CREATE INDEX "credential_audit_at_idx" ON "credential_audit"("at");

CREATE INDEX "credential_audit_account_id_at_idx" ON "credential_audit"("account_id", "at");
