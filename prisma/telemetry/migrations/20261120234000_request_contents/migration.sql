-- What requests said, of accounts that have opted in: compressed, and sealed with a key that is not in this database. Kept
-- out of line and as it is, since ciphertext does not compress.
CREATE TABLE "request_contents" (
    "account_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "sealed" BYTEA NOT NULL,

    CONSTRAINT "request_contents_pkey" PRIMARY KEY ("account_id", "request_id")
);
ALTER TABLE "request_contents" ALTER COLUMN "sealed" SET STORAGE EXTERNAL;
