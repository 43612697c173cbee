-- Cache markers in translated requests are on, unless an account turns them off.
ALTER TABLE "routing_preferences" ADD COLUMN "caching_markers" BOOLEAN NOT NULL DEFAULT true;
