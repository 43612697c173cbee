-- Providers' own ways to defer or restrict tools that may take the place of leaving them out.
ALTER TABLE "routing_preferences" ADD COLUMN "pruning_native" JSONB NOT NULL DEFAULT '[]';
