/** The recorded history of a chaos run. The checker reads only the history. All times are in milliseconds. */

/** The kinds of faults that the nemesis causes. */
export const faultKinds = [
  'kill',
  'stop',
  'lock',
  'terminate',
  'flush',
  'pause',
  'slow-upstream',
  'broken-upstream',
  'cut-link',
  'stall-link',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** A planned fault. */
export interface Fault {
  readonly kind: FaultKind;
  /**
   * The name of the affected process or Redis server. For other faults, the database and table (such as
   * `account.api_keys`), the link (such as `nats`) or `upstream` for the provider.
   */
  readonly target: string;
  /** When the fault starts, relative to the start of the run. */
  readonly atMs: number;
  /** How long the fault lasts. Faults that take effect at a single moment have the duration 0. */
  readonly forMs: number;
}

/** A fault with its measured times. A killed process counts as down until the restarted process is ready. */
export interface CausedFault extends Fault {
  readonly startedMs: number;
  readonly endedMs: number;
}

export const chatKinds = ['chat', 'messages', 'responses'] as const;

/** The kinds of operations that clients send. */
export type OperationKind =
  | (typeof chatKinds)[number]
  | 'key-create'
  | 'key-list'
  | 'key-rename'
  | 'key-revoke'
  | 'key-rotate'
  | 'tool-list'
  | 'provider-put'
  | 'provider-list'
  | 'provider-delete'
  | 'policy-put'
  | 'policy-read'
  | 'account-delete';

/** A register value that an operation wrote or read. A null value means that the item is absent. */
export interface RegisterAccess {
  /** The register's name, such as `key:<id>:name`. */
  readonly register: string;
  readonly action: 'read' | 'write';
  readonly value: string | null;
}

/** One client request and its response. */
export interface Operation {
  /** A unique name of the operation. The body of a chat request contains the name. */
  readonly id: string;
  readonly kind: OperationKind;
  readonly accountId: string;
  /** The id of the API key that the request was sent with. */
  readonly keyId: string;
  /** The name of the edge that received the request. */
  readonly edge: string;
  readonly startMs: number;
  readonly endMs: number;
  /** The HTTP status, or 0 if the connection broke before a status arrived. */
  readonly status: number;
  /** The response's error code, or null if there is no error. */
  readonly code: string | null;
  /** Whether the response is complete. A stream is complete only if its end has arrived. */
  readonly isWhole: boolean;
  /** The gateway's request id, or null if there was no response. */
  readonly requestId: string | null;
  readonly accesses: readonly RegisterAccess[];
  /** The id of the API key that the operation created, changed or revoked. */
  readonly subjectKeyId: string | null;
}

/** A request that the recording provider received. */
export interface UpstreamRequest {
  /** The id of the client's operation. */
  readonly operation: string;
  readonly atMs: number;
  readonly tools: readonly string[];
}

/** A request log row, read from the database after the run. */
export interface LogRow {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  /** The client's request id, which identifies the operation. */
  readonly operation: string | null;
  readonly status: string;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly toolsSaved: number;
  readonly compressionSaved: number;
  readonly netSaved: number;
}

export interface LedgerEntry {
  readonly requestId: string;
  readonly accountId: string;
  readonly toolsSaved: number;
  readonly compressionSaved: number;
}

/** An API key with a rate limit that the run tries to exceed. */
export interface LimitedKey {
  readonly keyId: string;
  readonly rateLimitRpm: number | null;
  readonly dailyTokenBudget: number | null;
}

export interface History {
  readonly operations: readonly Operation[];
  readonly faults: readonly CausedFault[];
  readonly upstream: readonly UpstreamRequest[];
  readonly rows: readonly LogRow[];
  readonly ledger: readonly LedgerEntry[];
  /** Each register's value before the run. */
  readonly initial: Readonly<Record<string, string | null>>;
  readonly limitedKeys: readonly LimitedKey[];
  /** The tools that are denied for the whole run, by API key id. */
  readonly deniedTools: Readonly<Record<string, readonly string[]>>;
  /** Tables that still contain rows of deleted accounts, as `<database>.<table>`. */
  readonly leftovers: readonly string[];
  /** Secrets found in logs, as `<process>: <name of the secret>`. */
  readonly leaks: readonly string[];
  /** Intervals in which the test process got no processor time on a busy machine. */
  readonly stalls: readonly { readonly startMs: number; readonly endMs: number }[];
  /** The time between the end of the last fault and the first success of each kind of request. */
  readonly recoveryMs: number;
}

/** A violation of a promise in a run. */
export interface Violation {
  readonly promise: string;
  readonly detail: string;
}

export const isChat = ({ kind }: Operation): boolean => (chatKinds as readonly string[]).includes(kind);
export const isServed = (operation: Operation): boolean => operation.status === 200 && operation.isWhole;

/** Whether a write certainly had no effect, because the gateway rejected the request with a 4xx status. */
export const isRejected = ({ status }: Operation): boolean => status >= 400 && status < 500;
export const isAcknowledged = ({ status, isWhole }: Operation): boolean =>
  status >= 200 && status < 300 && isWhole;

/** Returns how many milliseconds of an interval lie inside any of the given intervals. */
export function overlapMs(
  startMs: number,
  endMs: number,
  intervals: readonly { readonly startMs: number; readonly endMs: number }[],
): number {
  let coveredTo = startMs;
  let total = 0;
  for (const each of intervals.toSorted((one, other) => one.startMs - other.startMs)) {
    const from = Math.max(coveredTo, each.startMs);
    const to = Math.min(endMs, each.endMs);
    if (to <= from) continue;
    total += to - from;
    coveredTo = to;
  }
  return total;
}
