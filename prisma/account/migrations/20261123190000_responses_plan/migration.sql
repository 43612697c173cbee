-- Requests to the Responses API are not planned, unless an account turns planning on.
ALTER TABLE "routing_preferences" ADD COLUMN "responses_plan" BOOLEAN NOT NULL DEFAULT false;
