-- What the request list is narrowed by, so that a page of a long log is read from an index: a key, a session, an ending other
-- than a good one. The last two hold few rows, and cost the others nothing.
CREATE INDEX "request_log_key_idx" ON "request_log"("account_id", "key_id", "created_at" DESC, "id" DESC);
CREATE INDEX "request_log_session_idx" ON "request_log"("account_id", "session_id", "created_at" DESC, "id" DESC)
    WHERE "session_id" IS NOT NULL;
CREATE INDEX "request_log_not_ok_idx" ON "request_log"("account_id", "status", "created_at" DESC, "id" DESC)
    WHERE "status" <> 'ok';
