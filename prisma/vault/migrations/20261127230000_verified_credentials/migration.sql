-- When a provider last accepted the credential. Null until then, and again after a rejection.
ALTER TABLE "credentials" ADD COLUMN "verified_at" TIMESTAMPTZ(3);
