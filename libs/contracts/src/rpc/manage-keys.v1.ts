import { z } from 'zod';
import { apiKey, createApiKeyBody, createdApiKey, toolListBody } from '../api/api-key.ts';
import { id } from '../common.ts';
import { defineRpc } from '../define.ts';

const common = { server: 'account', callers: ['edge-gateway', 'operator'], deadlineMs: 5_000 } as const;

/** Creates a key. The reply holds the secret once, sealed to the caller's process: no secret crosses the bus in the clear. */
export const createKey = defineRpc({
  ...common,
  subject: 'account.create-key.v1',
  request: z.object({ accountId: id, body: createApiKeyBody, recipientPublicKey: z.base64() }),
  reply: z.object({ key: createdApiKey.omit({ key: true }), sealedSecret: z.base64() }),
});

export const listKeys = defineRpc({
  ...common,
  subject: 'account.list-keys.v1',
  request: z.object({ accountId: id }),
  reply: z.object({ keys: z.array(apiKey) }),
});

/** Throws `not_found` for a key of another account, as for one that never was. */
export const setToolLists = defineRpc({
  ...common,
  subject: 'account.set-tool-lists.v1',
  request: z.object({ accountId: id, keyId: id, body: toolListBody }),
  reply: z.object({ key: apiKey }),
});

export const revokeKey = defineRpc({
  ...common,
  subject: 'account.revoke-key.v1',
  request: z.object({ accountId: id, keyId: id }),
  reply: z.object({ keyId: id }),
});
