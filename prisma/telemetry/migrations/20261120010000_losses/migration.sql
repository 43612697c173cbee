-- What the provider's format could not carry of a translated request.
ALTER TABLE "request_log" ADD COLUMN "losses" JSONB;
