import type { RoutingPolicy } from '@gateway/contracts';
import type { Logger, Metrics } from '@gateway/observability';
import type { Redis } from 'ioredis';
import type { OfferedTool } from '../assess-tools/assessed-tool.ts';
import type { Meanings } from '../assess-tools/meanings.ts';
import type { Partitions } from '../persistence/partitions.ts';
import type { TelemetryDatabase } from '../persistence/telemetry-database.ts';

/** What an account lets be kept of its requests. */
export interface Keeping {
  readonly retentionDays: number;
  readonly hasContents: boolean;
}

/** What the worker's jobs and queries share. */
export interface WorkerContext {
  readonly database: TelemetryDatabase;
  readonly partitions: Partitions;
  /** The queue's Redis. May be away, at the start too: queries are answered without it. */
  readonly queueRedis: Redis;
  readonly reportCommitted: (batchIds: string[]) => void;
  /** Calls when billing has batches of the ledger. */
  readonly onLedgerCommitted: (listener: (batchIds: readonly string[]) => void) => void;
  /** Accounts with shadow requests that no calibration has looked at yet; every writer of the log adds to it. */
  readonly shadowAccounts: Set<string>;
  /** The account's target, 0 to 1. Throws `not_found` for an account that is gone. */
  readonly readRecallTarget: (accountId: string) => Promise<number>;
  /** How long an account's rows are kept, and whether contents may be. Throws `not_found` for an account that is gone. */
  readonly readKeeping: (accountId: string) => Promise<Keeping>;
  /** Contents are sealed with the first, and opened with any. */
  readonly contentKeys: readonly Buffer[];
  /** What a list's tools mean; null while nobody can say. */
  readonly readMeanings: (tools: readonly OfferedTool[]) => Promise<Meanings | null>;
  /** Tells every router. */
  readonly announce: (policy: RoutingPolicy) => void;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export const WORKER_CONTEXT = Symbol('WORKER_CONTEXT');
