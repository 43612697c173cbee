import { z } from 'zod';
import { base64, id, timestamp } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/** Each part of a content, the request's and the answer's, is cut to this. */
export const contentPartBytesMax = 2 * 1024 * 1024;
/** What a packed content may take on the bus: two parts that nothing compresses, in base64, and their frame. */
const packedCharactersMax = 7 * 1024 * 1024;

/** Text as it was sent; base64 where it is not text (frames of `converse-stream`). */
export const contentPart = z.object({
  encoding: z.enum(['utf8', 'base64']),
  text: z.string(),
  /** Length of the whole, in bytes. */
  bytes: z.int().nonnegative(),
  /** Whether `text` is only its beginning. */
  isCut: z.boolean(),
});
export type ContentPart = z.infer<typeof contentPart>;

/** What a request said, and what was answered. Packed, it is this as JSON, compressed with Brotli. */
export const requestContent = z.object({ request: contentPart, answer: contentPart.nullable() });
export type RequestContent = z.infer<typeof requestContent>;

const common = { server: 'worker', callers: ['edge-gateway'], deadlineMs: 5_000 } as const;

/** Of an account that has opted in alone. It is kept encrypted until `expiresAt`, or until the account is gone. */
export const storeContent = defineRpc({
  ...common,
  subject: 'worker.store-content.v1',
  request: z.object({
    accountId: id,
    requestId: id,
    expiresAt: timestamp,
    packed: base64.max(packedCharactersMax),
  }),
  /** False for an account that is deleted, and for a request whose content is there already. */
  reply: z.object({ isStored: z.boolean() }),
});

/** Null for what was not kept, is not kept any more, or is another account's. */
export const readContent = defineRpc({
  ...common,
  subject: 'worker.read-content.v1',
  request: z.object({ accountId: id, requestId: id }),
  reply: z.object({ content: z.object({ packed: base64, expiresAt: timestamp }).nullable() }),
});
