-- The ceiling of the shadow share while a bucket has measured little. It was four times the usual share.
ALTER TABLE "account_policies" ADD COLUMN "shadow_share_learning" DOUBLE PRECISION NOT NULL DEFAULT 0.2;
UPDATE "account_policies" SET "shadow_share_learning" = LEAST(1, 4 * "shadow_share");
ALTER TABLE "account_policies"
    ADD CONSTRAINT "account_policies_shadow_share_learning_check" CHECK ("shadow_share_learning" BETWEEN 0 AND 1);
