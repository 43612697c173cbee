import { z } from 'zod';
import {
  apiKey,
  createApiKeyBody,
  createdApiKey,
  rotateApiKeyBody,
  rotatedApiKey,
  toolListBody,
  updateApiKeyBody,
} from '../api/api-key.ts';
import { byActor } from '../base/actor.ts';
import { id, idempotency, replayed } from '../base/common.ts';
import { defineRpc, interactiveMs } from '../base/define.ts';

const common = {
  server: 'account',
  callers: ['edge-gateway', 'operator'],
  deadlineMs: interactiveMs,
} as const;

// Calls with a `keyId` throw `not_found` if the API key is unknown or belongs to another account.
// Calls that change API keys throw `insufficient_scope` if the calling API key may not manage the account.
// Calls that change API keys throw `own_key_change` if the calling API key would change itself.
// Calls that change API keys throw `grant_exceeds_key` if the calling API key would grant more rights than it has.

/**
 * Creates an API key. The reply contains the secret, sealed to the calling process, so the secret never
 * crosses the bus unencrypted. The secret is returned only once.
 */
export const createKey = defineRpc({
  ...common,
  subject: 'account.create-key.v1',
  request: z.object({
    accountId: id,
    body: createApiKeyBody,
    recipientPublicKey: z.base64(),
    ...idempotency,
    ...byActor,
  }),
  reply: z.object({ key: createdApiKey.omit({ key: true }), sealedSecret: z.base64(), replayed }),
});

/** Replaces the secret of an API key. */
export const rotateKey = defineRpc({
  ...common,
  subject: 'account.rotate-key.v1',
  request: z.object({
    accountId: id,
    keyId: id,
    body: rotateApiKeyBody,
    recipientPublicKey: z.base64(),
    ...idempotency,
    ...byActor,
  }),
  reply: z.object({ key: rotatedApiKey.omit({ key: true }), sealedSecret: z.base64(), replayed }),
});

export const updateKey = defineRpc({
  ...common,
  subject: 'account.update-key.v1',
  request: z.object({ accountId: id, keyId: id, body: updateApiKeyBody, ...byActor }),
  reply: z.object({ key: apiKey }),
});

export const listKeys = defineRpc({
  ...common,
  subject: 'account.list-keys.v1',
  request: z.object({ accountId: id }),
  reply: z.object({ keys: z.array(apiKey) }),
});

/** Sets the allow and deny lists of tools for an API key. */
export const setToolLists = defineRpc({
  ...common,
  subject: 'account.set-tool-lists.v1',
  request: z.object({ accountId: id, keyId: id, body: toolListBody, ...byActor }),
  reply: z.object({ key: apiKey }),
});

export const revokeKey = defineRpc({
  ...common,
  subject: 'account.revoke-key.v1',
  request: z.object({ accountId: id, keyId: id, ...byActor }),
  reply: z.object({ keyId: id }),
});
