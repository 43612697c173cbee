-- The tool sets of conversations whose reasoning is bound to their prefix. The foreign key deletes them with their account, also if
-- one arrives late.
CREATE TABLE "conversation_plans" (
    "account_id" UUID NOT NULL,
    "name" BYTEA NOT NULL,
    "plan" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "conversation_plans_pkey" PRIMARY KEY ("account_id", "name"),
    CONSTRAINT "conversation_plans_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX "conversation_plans_account_id_used_at_idx" ON "conversation_plans"("account_id", "used_at" DESC);

CREATE INDEX "conversation_plans_used_at_idx" ON "conversation_plans"("used_at");
