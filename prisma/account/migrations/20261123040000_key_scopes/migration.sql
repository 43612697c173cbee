-- What a key may call. Existing keys keep access to everything.
ALTER TABLE "api_keys" ADD COLUMN "scopes" TEXT[] DEFAULT ARRAY['inference', 'read', 'manage']::TEXT[];
ALTER TABLE "account_policies" ADD COLUMN "default_key_scopes" TEXT[] DEFAULT ARRAY['inference', 'read', 'manage']::TEXT[];
