-- An account may have several keys for a provider: further ones are fields of the same record.
ALTER TABLE "credentials" ADD COLUMN "additional_keys" INTEGER NOT NULL DEFAULT 0;
