-- Whether the gateway learns from an account's conversations which tools are needed.
ALTER TABLE "routing_preferences" ADD COLUMN "pruning_learning" BOOLEAN NOT NULL DEFAULT false;
