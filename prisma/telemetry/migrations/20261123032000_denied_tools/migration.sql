-- The tools that models called although the key's lists do not permit them. The index holds few rows.
ALTER TABLE "request_log" ADD COLUMN "denied_tools" TEXT[] NOT NULL DEFAULT '{}';
CREATE INDEX "request_log_denied_idx" ON "request_log"("account_id", "created_at" DESC, "id" DESC)
    WHERE cardinality("denied_tools") > 0;
