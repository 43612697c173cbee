CREATE TABLE "people" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "people_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "people_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "people_issuer_check" CHECK (char_length("issuer") BETWEEN 1 AND 2048),
    CONSTRAINT "people_subject_check" CHECK (char_length("subject") BETWEEN 1 AND 255)
);

CREATE UNIQUE INDEX "people_issuer_subject_key" ON "people"("issuer", "subject");

CREATE INDEX "people_account_id_idx" ON "people"("account_id");

CREATE TABLE "identity_users" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identity_users_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "identity_users_email_check" CHECK (char_length("email") BETWEEN 3 AND 254 AND "email" = lower("email")),
    CONSTRAINT "identity_users_password_hash_check" CHECK ("password_hash" LIKE '$argon2id$%')
);

CREATE UNIQUE INDEX "identity_users_email_key" ON "identity_users"("email");

CREATE TABLE "identity_sessions" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identity_sessions_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "identity_sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "identity_users"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "identity_sessions_expires_at_check" CHECK ("expires_at" > "created_at")
);

CREATE INDEX "identity_sessions_user_id_created_at_idx" ON "identity_sessions"("user_id", "created_at" DESC);

CREATE INDEX "identity_sessions_expires_at_idx" ON "identity_sessions"("expires_at");

CREATE TABLE "refresh_tokens" (
    "hash" BYTEA NOT NULL,
    "session_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "refresh_tokens_pkey" PRIMARY KEY ("hash"),
    CONSTRAINT "refresh_tokens_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "identity_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "refresh_tokens_hash_check" CHECK (octet_length("hash") = 32)
);

CREATE INDEX "refresh_tokens_session_id_created_at_idx" ON "refresh_tokens"("session_id", "created_at" DESC);

CREATE TABLE "session_signing_keys" (
    "kid" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "sealed_private_key" TEXT NOT NULL,
    "signs_from" TIMESTAMPTZ(3) NOT NULL,
    "signs_until" TIMESTAMPTZ(3) NOT NULL,
    "verifies_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_signing_keys_pkey" PRIMARY KEY ("kid"),
    CONSTRAINT "session_signing_keys_times_check" CHECK ("signs_from" < "signs_until" AND "signs_until" <= "verifies_until")
);

CREATE UNIQUE INDEX "session_signing_keys_sequence_key" ON "session_signing_keys"("sequence");

CREATE TABLE "login_guesses" (
    "bucket" INTEGER NOT NULL,
    "failures" INTEGER NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "blocked_until" TIMESTAMPTZ(3),

    CONSTRAINT "login_guesses_pkey" PRIMARY KEY ("bucket"),
    CONSTRAINT "login_guesses_bucket_check" CHECK ("bucket" >= 0 AND "bucket" < 2097152),
    CONSTRAINT "login_guesses_failures_check" CHECK ("failures" >= 0)
);

CREATE INDEX "login_guesses_last_at_idx" ON "login_guesses"("last_at");

ALTER TABLE "api_keys" ADD COLUMN "is_playground" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_playground_expires_check" CHECK (NOT "is_playground" OR "expires_at" IS NOT NULL);
