-- Account heads rank an account's tools again. A policy version contains its heads, and a log row shows the ranking without them.
ALTER TABLE "routing_policies" ADD COLUMN "heads" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "request_log" ADD COLUMN "unlearned" JSONB;
