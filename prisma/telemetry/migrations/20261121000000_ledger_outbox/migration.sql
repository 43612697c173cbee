-- What requests saved, written in the transaction that writes their rows, until billing has it: so the ledger comes to equal
-- the log, whatever dies in between.
CREATE TABLE "ledger_outbox" (
    "id" UUID NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "shipped_at" TIMESTAMPTZ(3),
    "entries" JSONB NOT NULL,

    CONSTRAINT "ledger_outbox_pkey" PRIMARY KEY ("id")
);
