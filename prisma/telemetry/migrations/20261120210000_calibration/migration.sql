-- What calibration and recall alerts need of a request: which session it belongs to and what that session counts as, how
-- pruned tools stayed reachable and which were asked for, and, for shadow requests, the smallest K that would have held
-- every tool that was called.
ALTER TABLE "request_log"
    ADD COLUMN "session_key" TEXT,
    ADD COLUMN "bucket" TEXT,
    ADD COLUMN "recovery" TEXT,
    ADD COLUMN "recovered_tools" TEXT[] NOT NULL DEFAULT '{}',
    ADD COLUMN "needed_k" INTEGER;

-- Shadow requests are a small share: calibration reads them and nothing else.
CREATE INDEX "request_log_shadow_idx" ON "request_log"("account_id", "created_at" DESC) WHERE "needed_k" IS NOT NULL;

-- The measured K of each account. A version never changes; sessions are pinned to one.
CREATE TABLE "routing_policies" (
    "account_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL,
    "recall_target" DOUBLE PRECISION NOT NULL,
    "buckets" JSONB NOT NULL,

    CONSTRAINT "routing_policies_pkey" PRIMARY KEY ("account_id", "version")
);
