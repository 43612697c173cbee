-- Hashes of prompts, to find out why a request missed the provider's prompt cache. The index finds a conversation's earlier requests.
ALTER TABLE "request_log"
  ADD COLUMN "conversation" TEXT,
  ADD COLUMN "prompt" JSONB,
  ADD COLUMN "cache_miss_cause" TEXT,
  ADD COLUMN "cache_miss_detail" TEXT,
  ADD COLUMN "cache_miss_tokens" BIGINT,
  ADD COLUMN "cache_miss_usd" DECIMAL(20,12);
CREATE INDEX "request_log_conversation_idx" ON "request_log"("account_id", "conversation", "created_at" DESC)
    WHERE "conversation" IS NOT NULL;
