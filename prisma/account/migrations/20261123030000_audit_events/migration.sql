-- The audit log of each account. The foreign key deletes it with its account, also if an event arrives late.
CREATE TABLE "audit_events" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "action" TEXT NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" UUID,
    "actor_name" TEXT,
    "target_type" TEXT,
    "target_id" TEXT,
    "target_name" TEXT,
    "changes" JSONB,
    "address" TEXT,
    "user_agent" TEXT,
    "request_id" UUID,

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "audit_events_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX "audit_events_account_id_at_id_idx" ON "audit_events"("account_id", "at" DESC, "id" DESC);

CREATE INDEX "audit_events_at_idx" ON "audit_events"("at");

-- Rows are written once. Only whole rows are deleted, by retention and with the account.
CREATE FUNCTION keep_audit_events() RETURNS trigger LANGUAGE plpgsql AS $function$
BEGIN
  RAISE EXCEPTION 'audit events cannot be changed';
END
$function$;
CREATE TRIGGER keep_audit_events BEFORE UPDATE ON "audit_events"
  FOR EACH ROW EXECUTE FUNCTION keep_audit_events();

-- The e-mail address of a person, which the audit log shows. Subjects of the embedded identity are user ids.
ALTER TABLE "people" ADD COLUMN "email" TEXT;
UPDATE "people" SET "email" = "identity_users"."email"
  FROM "identity_users" WHERE "people"."subject" = "identity_users"."id"::text;
