-- How a request's conversation went out: the decision, what it was worth, and the markers of what was left out.
ALTER TABLE "request_log" ADD COLUMN "context" JSONB;
