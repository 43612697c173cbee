-- What is left of a deleted account: that it was deleted, and which services have forgotten it.
CREATE TABLE "account_deletions" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "epoch" INTEGER NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "claimed_until" TIMESTAMPTZ(3),

    CONSTRAINT "account_deletions_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "account_deletions_account_id_key" ON "account_deletions"("account_id");

CREATE INDEX "account_deletions_completed_at_requested_at_idx" ON "account_deletions"("completed_at", "requested_at");

CREATE TABLE "account_deletion_steps" (
    "deletion_id" UUID NOT NULL,
    "service" TEXT NOT NULL,
    "position" SMALLINT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "account_deletion_steps_pkey" PRIMARY KEY ("deletion_id", "service"),
    CONSTRAINT "account_deletion_steps_deletion_id_fkey" FOREIGN KEY ("deletion_id") REFERENCES "account_deletions"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
