-- Accounts that were deleted: events of theirs that come late are not written.
CREATE TABLE "forgotten_accounts" (
    "account_id" UUID NOT NULL,
    "forgotten_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "forgotten_accounts_pkey" PRIMARY KEY ("account_id")
);
