-- The last change of an account that the gateways were informed of. A sweep repeats announcements that a killed process never made.
-- The values and the index have separate migrations (transactions), so that this lock of the table is short.
ALTER TABLE "accounts" ADD COLUMN "announced_epoch" INTEGER NOT NULL DEFAULT 0;
