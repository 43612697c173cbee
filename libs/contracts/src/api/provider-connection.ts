import { z } from 'zod';
import { timestamp } from '../base/common.ts';
import { listOf } from '../base/list.ts';

const fieldGroup = z.object({ required: z.array(z.string()), optional: z.array(z.string()) });

/**
 * A provider and the state of its connection. The credential hint shows at most the last four characters of
 * the credential.
 */
export const providerConnection = z.object({
  provider: z.string(),
  object: z.literal('provider'),
  display_name: z.string(),
  connected: z.boolean(),
  verified: z.boolean().meta({
    description:
      'Whether the provider has accepted the credential. A free call checks the credential when it is saved. If the provider has no such call, or the call proves nothing, the first successful request verifies the credential.',
    examples: [true],
  }),
  credential_hint: z.string().nullable(),
  /** Number of further API keys, without the key that the hint shows. Absent if there are none. */
  additional_api_keys: z.int().min(1).optional(),
  formats: z.array(z.string()),
  /** The `PUT /v1/account/providers` fields that this provider requires or accepts. */
  fields: fieldGroup.extend({
    one_of: z.array(fieldGroup).optional().meta({
      description:
        'The groups of fields that are needed together, if the provider accepts several kinds of credentials. A request contains one complete group. Absent if `required` lists all needed fields.',
    }),
  }),
  base_url: z.string().nullable(),
  created_at: timestamp.nullable(),
  rotated_at: timestamp.nullable(),
  last_used_at: timestamp.nullable(),
  last_error: z.string().nullable(),
});
export type ProviderConnection = z.infer<typeof providerConnection>;
export const providerConnectionList = listOf(providerConnection);

/** Maximum number of additional provider API keys per account and provider. */
export const additionalKeysMax = 15;

/**
 * A secret that the provider issued. The gateway rejects texts shorter than eight characters, common words,
 * and texts with white space, quotes, brackets, braces or backslashes.
 */
const secret = z.string().min(1).max(8192).optional();
const name = z.string().trim().min(1).max(128).optional();

/** A Google service account key file. Other fields in the key file are not stored. */
const serviceAccount = z.object({
  type: z.literal('service_account'),
  project_id: z.string().trim().min(1).max(128).optional(),
  private_key_id: z.string().trim().min(1).max(128),
  private_key: z.string().min(1).max(8192),
  client_email: z.email().max(256),
});

/** Fields of a provider connection. The list of providers specifies the required fields. */
export const putProviderBody = z.strictObject({
  provider: z.string().trim().min(1).max(64),
  api_key: secret,
  /**
   * Additional API keys for the provider. Each provider call uses the healthy API key with the fewest calls
   * in progress. Saving a new `api_key` also replaces the additional keys.
   */
  additional_api_keys: z.array(z.string().min(1).max(8192)).max(additionalKeysMax).optional(),
  /** Overrides the provider's default address. The egress guard must allow the new address. */
  base_url: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional(),
  region: name,
  project: name,
  api_version: name,
  access_key_id: secret,
  secret_access_key: secret,
  session_token: secret,
  service_account: serviceAccount.optional(),
});
export type PutProviderBody = z.infer<typeof putProviderBody>;

export const deletedProvider = z.object({
  provider: z.string(),
  object: z.literal('provider.deleted'),
  deleted: z.literal(true),
});
