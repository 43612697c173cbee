import { z } from 'zod';
import { requestDetail, requestLogEntry, requestStatus } from '../api/request-log.ts';
import { count, id, sha256Hex, timestamp } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';
import { blockId } from './compression.v1.ts';

const common = { server: 'worker', callers: ['edge-gateway'], deadlineMs: 5_000 } as const;

/** What narrows a list of requests. `from` is inclusive, `to` is not. */
export const requestFilter = z.object({
  keyId: id.optional(),
  /** As answered or as requested; also `<provider>/<model>`. */
  model: z.string().optional(),
  sessionId: z.string().optional(),
  status: requestStatus.optional(),
  from: timestamp.optional(),
  to: timestamp.optional(),
});
export type RequestFilter = z.infer<typeof requestFilter>;

/** The newest first. */
export const listRequests = defineRpc({
  ...common,
  subject: 'worker.list-requests.v1',
  request: z.object({
    accountId: id,
    limit: z.int().min(1).max(500),
    offset: count,
    filter: requestFilter.default({}),
  }),
  reply: z.object({ total: count, requests: z.array(requestLogEntry) }),
});

/** The newest first, from the one after `before` on; null: from the newest on. Fewer than `limit` are the last ones. */
export const exportRequests = defineRpc({
  ...common,
  subject: 'worker.export-requests.v1',
  request: z.object({
    accountId: id,
    limit: z.int().min(1).max(2_000),
    before: id.nullable(),
    filter: requestFilter,
  }),
  reply: z.object({ requests: z.array(requestLogEntry) }),
});

/** Null for a request of another account, as for one that never was. */
export const getRequest = defineRpc({
  ...common,
  subject: 'worker.get-request.v1',
  request: z.object({ accountId: id, requestId: id }),
  reply: z.object({
    /** Without the originals and the exact counts of what was compressed: they are the compressor's to give. */
    request: requestDetail.nullable(),
    /** The session in which the markers mean something. Absent in replies of workers before. */
    session: sha256Hex.nullable().default(null),
    /** Blocks whose exact counts may be kept. */
    blocks: z.array(blockId).default([]),
  }),
});
