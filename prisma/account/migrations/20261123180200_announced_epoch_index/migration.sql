-- Finds the few accounts with unannounced changes. The index has no entries for other accounts.
CREATE INDEX "accounts_unannounced" ON "accounts" ("id") WHERE "announced_epoch" < "epoch";
