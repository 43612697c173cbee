import { z } from 'zod';
import { requestDetail, requestLogEntry, requestSort, requestStatus } from '../api/request-log.ts';
import { count, id, sha256Hex, timestamp } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';
import { blockId } from './compression.v1.ts';

const common = { server: 'worker', callers: ['edge-gateway'], deadlineMs: 5_000 } as const;

/** Filters for the list of requests. `from` is inclusive, and `to` is exclusive. */
export const requestFilter = z.object({
  keyId: id.optional(),
  /** Matches the requested model or the used model. `<provider>/<model>` is also accepted. */
  model: z.string().optional(),
  sessionId: z.string().optional(),
  status: requestStatus.optional(),
  from: timestamp.optional(),
  to: timestamp.optional(),
  /** Text that is part of the session id, model or error, or that equals the request id or a called tool's name. */
  search: z.string().optional(),
});
export type RequestFilter = z.infer<typeof requestFilter>;

/** The order of a list. Entries without a value come last. */
const requestOrder = z.object({ by: requestSort, isDescending: z.boolean() });
export type RequestOrder = z.infer<typeof requestOrder>;

/**
 * Lists log entries, newest first unless `order` is given. The request can ask for the ids of further entries. The
 * worker then counts and sorts once for a large page, and `readRequests` returns the further entries.
 */
export const listRequests = defineRpc({
  ...common,
  subject: 'worker.list-requests.v1',
  request: z.object({
    accountId: id,
    limit: z.int().min(1).max(500),
    offset: count,
    filter: requestFilter.default({}),
    order: requestOrder.optional(),
    /** Number of ids to return after the page. */
    further: z.int().min(0).max(500).default(0),
  }),
  reply: z.object({
    total: count,
    requests: z.array(requestLogEntry),
    /** Ids of the entries after the page, in order. Workers of the previous release omit `further`. */
    further: z.array(id).optional(),
  }),
});

/** Reads log entries by id, in the order of `ids`. Unknown ids and ids of other accounts are omitted. */
export const readRequests = defineRpc({
  ...common,
  subject: 'worker.read-requests.v1',
  request: z.object({ accountId: id, ids: z.array(id).max(100) }),
  reply: z.object({ requests: z.array(requestLogEntry) }),
});

/**
 * Exports log entries, newest first, starting after the entry `before`. If `before` is null, the export
 * starts with the newest entry. If the reply has fewer than `limit` entries, the log has no older entries.
 */
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

/**
 * Reads a single request log entry with all details. The reply is null if the request is unknown or belongs
 * to another account.
 */
export const getRequest = defineRpc({
  ...common,
  subject: 'worker.get-request.v1',
  request: z.object({ accountId: id, requestId: id }),
  reply: z.object({
    /** The request details. Only the compressor has the original texts and the exact token counts. */
    request: requestDetail.nullable(),
    /**
     * The conversation in which the request's markers are valid. Workers from the previous release omit
     * `session`.
     */
    session: sha256Hex.nullable().default(null),
    /** Ids of blocks for which the compressor may store exact token counts. */
    blocks: z.array(blockId).default([]),
  }),
});
