-- What leaving out and compressing saved before what it cost (caches written once more, hidden rounds).
ALTER TABLE "request_log" ADD COLUMN "gross_savings_usd" DECIMAL(20,12);
