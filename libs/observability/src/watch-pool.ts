import type { Metrics } from './metrics.ts';

interface PoolUse {
  readonly open: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Tells how a process's pool of Postgres connections is used, whenever it is scraped. */
export function watchPool(metrics: Metrics, read: () => PoolUse): void {
  metrics.gauge({
    name: 'postgres_pool_open_connections',
    help: 'Connections to Postgres that are open.',
    collect: () => read().open,
  });
  metrics.gauge({
    name: 'postgres_pool_idle_connections',
    help: 'Connections to Postgres that are open and do nothing.',
    collect: () => read().idle,
  });
  metrics.gauge({
    name: 'postgres_pool_waiting_queries',
    help: 'Queries that wait for a connection to Postgres.',
    collect: () => read().waiting,
  });
}
