import { z } from 'zod';
import { count, id } from '../common.ts';
import { defineRpc } from '../define.ts';

/** Rotation of the vault's key-encryption key, step by step: activate, re-wrap until nothing is left, retire. */
const common = { server: 'provider-vault', callers: ['operator'], deadlineMs: 10_000 } as const;
const keyVersion = z.int().min(1).max(999_999_999);

/**
 * Writes with this version from now on; null is the highest that the replica holds. Refused (`invalid_field`) while a
 * running replica lacks the key. Doing it again changes nothing.
 */
export const activateKey = defineRpc({
  ...common,
  subject: 'provider-vault.activate-key.v1',
  request: z.object({ version: keyVersion.nullable() }),
  reply: z.object({ version: keyVersion, previous: keyVersion.nullable() }),
});

/** A place in the order of the work: by key version, then by id. */
const rewrapCursor = z.object({ keyVersion, id });

/** Closes a batch of credentials anew under the present key. `left` counts those that are not under it yet. */
export const rewrapCredentials = defineRpc({
  ...common,
  subject: 'provider-vault.rewrap-credentials.v1',
  request: z.object({ after: rewrapCursor.nullable(), rowsMax: z.int().min(1).max(500) }),
  reply: z.object({
    rewrapped: count,
    failed: z.array(rewrapCursor),
    next: rewrapCursor.nullable(),
    left: count,
  }),
});

/** Drops the versions that no credential needs any more. */
export const retireKeys = defineRpc({
  ...common,
  subject: 'provider-vault.retire-keys.v1',
  request: z.object({}),
  reply: z.object({ retired: z.array(keyVersion), inUse: z.array(keyVersion) }),
});
