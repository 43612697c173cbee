import { z } from 'zod';
import { base64, id, timestamp } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/** Maximum size of the stored request and of the stored response. Longer bodies are truncated. */
export const contentPartBytesMax = 2 * 1024 * 1024;
/** Maximum size of packed contents in one message. Contents that compression cannot shorten also fit. */
const packedCharactersMax = 7 * 1024 * 1024;

/**
 * The body of the client's request or of the response to the client. A body that is not text, such as
 * `converse-stream` frames, is base64-encoded.
 */
export const contentPart = z.object({
  encoding: z.enum(['utf8', 'base64']),
  text: z.string(),
  /** Full length of the body, in bytes. */
  bytes: z.int().nonnegative(),
  /** Whether `text` is truncated. */
  isCut: z.boolean(),
});
export type ContentPart = z.infer<typeof contentPart>;

/**
 * The contents of a request and of its response. The packed contents are JSON, compressed with
 * Brotli.
 */
export const requestContent = z.object({ request: contentPart, answer: contentPart.nullable() });
export type RequestContent = z.infer<typeof requestContent>;

const common = { server: 'worker', callers: ['edge-gateway'], deadlineMs: 5_000 } as const;

/**
 * Stores the contents of a request (only for accounts that opted in). The content stays encrypted until
 * `expiresAt`, or until the account is deleted.
 */
export const storeContent = defineRpc({
  ...common,
  subject: 'worker.store-content.v1',
  request: z.object({
    accountId: id,
    requestId: id,
    expiresAt: timestamp,
    packed: base64.max(packedCharactersMax),
  }),
  /**
   * Whether the content was stored. False if the account was deleted or the request's content is already
   * stored.
   */
  reply: z.object({ isStored: z.boolean() }),
});

/**
 * Reads the stored contents of a request. The reply is null if the content was not stored, has expired or
 * belongs to another account.
 */
export const readContent = defineRpc({
  ...common,
  subject: 'worker.read-content.v1',
  request: z.object({ accountId: id, requestId: id }),
  reply: z.object({ content: z.object({ packed: base64, expiresAt: timestamp }).nullable() }),
});
