-- Changes before the introduction of the column count as announced.
UPDATE "accounts" SET "announced_epoch" = "epoch" WHERE "announced_epoch" < "epoch";
