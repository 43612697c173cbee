-- Which tool list a request offered. Recall is tested again when it changes.
ALTER TABLE "request_log" ADD COLUMN "tool_list" TEXT;
