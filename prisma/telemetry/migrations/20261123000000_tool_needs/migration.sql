-- What a shadow request's plan is measured by: each called tool, the smallest K that would have held it, and whether the plan held
-- it. The policy carries the account's target, the measured recovery rate and each bucket's decision.
ALTER TABLE "request_log" ADD COLUMN "needs" JSONB;
ALTER TABLE "routing_policies" ADD COLUMN "recovery_rate" JSONB;
