import type { Logger, Metrics } from '@gateway/observability';
import type { Redis } from 'ioredis';
import type { Partitions } from '../persistence/partitions.ts';
import type { TelemetryDatabase } from '../persistence/telemetry-database.ts';

/** What the worker's jobs and queries share. */
export interface WorkerContext {
  readonly database: TelemetryDatabase;
  readonly partitions: Partitions;
  /** The queue's Redis. May be away, at the start too: queries are answered without it. */
  readonly queueRedis: Redis;
  readonly reportCommitted: (batchIds: string[]) => void;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export const WORKER_CONTEXT = Symbol('WORKER_CONTEXT');
