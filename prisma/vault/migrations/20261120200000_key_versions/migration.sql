-- Versions of the key-encryption key that were ever written with. The highest is the one written with now.
CREATE TABLE "key_versions" (
    "version" INTEGER NOT NULL,
    "fingerprint" TEXT,
    "wrapped_seed" BYTEA,
    "activated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "key_versions_pkey" PRIMARY KEY ("version"),
    CONSTRAINT "key_versions_version_check" CHECK ("version" >= 1)
);

INSERT INTO "key_versions" ("version") SELECT DISTINCT "key_version" FROM "credentials";

-- A version is kept as long as a row needs it, and no row is written with one that is gone.
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_key_version_fkey"
    FOREIGN KEY ("key_version") REFERENCES "key_versions"("version") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- Which replica holds which keys: a key is written with when all of them can read it.
CREATE TABLE "vault_replicas" (
    "instance_id" TEXT NOT NULL,
    "fingerprints" JSONB NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "vault_replicas_pkey" PRIMARY KEY ("instance_id")
);

-- Accounts that were deleted: a credential that comes late is not stored.
CREATE TABLE "forgotten_accounts" (
    "account_id" UUID NOT NULL,
    "forgotten_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "forgotten_accounts_pkey" PRIMARY KEY ("account_id")
);

ALTER TABLE "credential_audit" DROP CONSTRAINT "credential_audit_action_check";
ALTER TABLE "credential_audit" ADD CONSTRAINT "credential_audit_action_check"
    CHECK ("action" IN ('put', 'open', 'delete', 'rewrap'));
