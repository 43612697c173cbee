-- How the model of a request was chosen, where the client left that to the gateway.
ALTER TABLE "request_log" ADD COLUMN "model_choice" JSONB;
