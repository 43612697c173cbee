-- What the definitions of an account's tools were worth when they were last offered. No definition is kept: points, reasons,
-- names of near duplicates, and suggested words made of names.
CREATE TABLE "tool_assessments" (
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "score" INTEGER NOT NULL,
    "issues" JSONB NOT NULL,
    "near" JSONB NOT NULL,
    "wordings" JSONB NOT NULL,
    "assessed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tool_assessments_pkey" PRIMARY KEY ("account_id", "name")
);
