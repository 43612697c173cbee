-- Events for the audit logs of accounts, until the account service has stored them.
CREATE TABLE "audit_outbox" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "event" JSONB NOT NULL,

    CONSTRAINT "audit_outbox_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "audit_outbox_account_id_idx" ON "audit_outbox"("account_id");
