-- Known devices of a person, and the tokens of links in mails.
ALTER TABLE "identity_users"
    ADD COLUMN "email_verified_at" TIMESTAMPTZ(3),
    ADD COLUMN "device_generation" INTEGER NOT NULL DEFAULT 0;

CREATE TABLE "identity_mail_tokens" (
    "hash" BYTEA NOT NULL,
    "user_id" UUID NOT NULL,
    "purpose" TEXT NOT NULL,
    "proves_email" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identity_mail_tokens_pkey" PRIMARY KEY ("hash"),
    CONSTRAINT "identity_mail_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "identity_users"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX "identity_mail_tokens_user_id_purpose_created_at_idx" ON "identity_mail_tokens"("user_id", "purpose", "created_at" DESC);

CREATE INDEX "identity_mail_tokens_expires_at_idx" ON "identity_mail_tokens"("expires_at");

-- There are more kinds of buckets. Counts of the previous kinds would block the wrong attempts.
DELETE FROM "login_guesses";
ALTER TABLE "login_guesses" DROP CONSTRAINT "login_guesses_bucket_check";
ALTER TABLE "login_guesses" ADD CONSTRAINT "login_guesses_bucket_check" CHECK ("bucket" BETWEEN 0 AND 16777215);
