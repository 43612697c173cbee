-- Which changes the gateways were informed of, so that a sweep can repeat an announcement that a killed process never made.
ALTER TABLE "accounts" ADD COLUMN "announced_epoch" INTEGER NOT NULL DEFAULT 0;
UPDATE "accounts" SET "announced_epoch" = "epoch";
CREATE INDEX "accounts_unannounced" ON "accounts" ("id") WHERE "announced_epoch" < "epoch";
