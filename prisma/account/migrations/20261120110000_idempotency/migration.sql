CREATE TABLE "idempotency_records" (
    "account_id" UUID NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "sealed_answer" BYTEA NOT NULL,
    "answer_bytes" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_records_pkey" PRIMARY KEY ("account_id", "key_hash"),
    CONSTRAINT "idempotency_records_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "idempotency_records_hashes_check" CHECK (octet_length("key_hash") = 32 AND octet_length("request_hash") = 32)
);

CREATE INDEX "idempotency_records_account_id_created_at_idx" ON "idempotency_records"("account_id", "created_at" DESC);

CREATE INDEX "idempotency_records_expires_at_idx" ON "idempotency_records"("expires_at");
