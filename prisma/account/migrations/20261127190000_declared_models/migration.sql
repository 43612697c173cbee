-- The models that an account declares for its providers, with the facts that no source of the gateway has.
CREATE TABLE "declared_models" (
    "account_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "facts" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "declared_models_pkey" PRIMARY KEY ("account_id", "provider", "model_id"),
    CONSTRAINT "declared_models_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "declared_models_names_check" CHECK (char_length("provider") BETWEEN 1 AND 64 AND char_length("model_id") BETWEEN 1 AND 256),
    CONSTRAINT "declared_models_facts_check" CHECK (jsonb_typeof("facts") = 'object')
);

-- The providers that serve a model name without a provider, in order of preference.
ALTER TABLE "routing_preferences"
    ADD COLUMN "provider_order" JSONB NOT NULL DEFAULT '[]',
    ADD CONSTRAINT "routing_preferences_provider_order_check" CHECK (jsonb_typeof("provider_order") = 'array');
