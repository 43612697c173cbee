import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '@gateway/observability';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { isWriteConflict, mapDatabaseError } from './database-errors.ts';
import { scopeArgs } from './scope-args.ts';

/**
 * The models of a client, without `$queryRaw`, `$transaction` and similar methods that could bypass the
 * account scope.
 */
export type Models<Client> = Omit<Client, `$${string}`>;

export interface Database<Client> {
  /**
   * The models as seen by one account. Every query is restricted to the rows of that account, and every new
   * row belongs to it. A forgotten filter therefore cannot leak data.
   */
  forAccount(accountId: string): Models<Client>;
  /**
   * The same inside a transaction. On a write conflict the transaction is repeated, with at most three
   * attempts.
   */
  transactionForAccount<T>(accountId: string, fn: (tx: Models<Client>) => Promise<T>): Promise<T>;
  /** The rows of all accounts. Use it only where the account is not known yet, and for maintenance. */
  readonly acrossAccounts: Client;
  transactionAcrossAccounts<T>(fn: (tx: Models<Client>) => Promise<T>): Promise<T>;
  /** Sends one query with a time limit of two seconds. Never throws. */
  isUp(): Promise<boolean>;
  /**
   * Waits until the database answers, with increasing pauses of up to two seconds. Rejects when `signal` is
   * aborted.
   */
  untilUp(options: { signal?: AbortSignal; onRetry?: (attempt: number) => void }): Promise<void>;
  /** The current state of the pool's connections. */
  poolUse(): PoolUse;
  /** Waits for queries in progress. */
  close(): Promise<void>;
}

export interface PoolUse {
  /** Open connections, including idle ones. */
  readonly open: number;
  readonly idle: number;
  /** Queries that wait for a free connection. */
  readonly waiting: number;
}

export interface DatabaseOptions<Client> {
  readonly url: string;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly createClient: (adapter: PrismaPg) => Client;
  /** Models whose rows refer to their account by another field than `accountId`. */
  readonly accountFields?: Readonly<Record<string, string>>;
  readonly connectionsMax?: number;
  readonly statementTimeoutMs?: number;
  /** Called when an idle connection breaks. The pool replaces it. */
  readonly onConnectionError?: (error: Error) => void;
}

const connectTimeoutMs = 2_000;
const transactionTimeoutMs = 10_000;
const transactionAttemptsMax = 3;

interface QueryCall {
  readonly model?: string;
  readonly operation: string;
  readonly args: unknown;
  readonly query: (args: unknown) => Promise<unknown>;
}

/**
 * The methods of a generated Prisma client that this library uses. All other types differ between clients.
 */
interface PrismaClientShape {
  $extends(extension: { query: { $allOperations: (call: QueryCall) => Promise<unknown> } }): unknown;
  $transaction(
    fn: (tx: unknown) => Promise<unknown>,
    limits: { maxWait: number; timeout: number },
  ): Promise<unknown>;
  $disconnect(): Promise<void>;
}
const shapeOf = (client: unknown) => client as PrismaClientShape;

/**
 * Creates the pool and the client. The first query connects, so a service can start while its database is
 * unavailable.
 */
export function createDatabase<Client>(options: DatabaseOptions<Client>): Database<Client> {
  const pool = createPool(options);
  const client = options.createClient(new PrismaPg(pool, { disposeExternalPool: true }));
  const acrossAccounts = extendQueries(client, ({ args, query }) => query(args).catch(rethrowMapped));
  const scopedTo = (accountId: string) =>
    extendQueries(acrossAccounts, ({ model, operation, args, query }) => {
      const field = options.accountFields?.[model ?? ''] ?? 'accountId';
      return query(scopeArgs(operation, args, { accountId, field }));
    });
  return {
    acrossAccounts,
    forAccount: scopedTo,
    transactionForAccount: (accountId, fn) => runTransaction(scopedTo(accountId), fn),
    transactionAcrossAccounts: (fn) => runTransaction(acrossAccounts, fn),
    isUp: () => isUp(pool),
    untilUp: (wait) => untilUp(pool, wait),
    poolUse: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => shapeOf(client).$disconnect(),
  };
}

function createPool<Client>(options: DatabaseOptions<Client>): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.connectionsMax ?? 10,
    // Also limits how long a query waits for a free connection.
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeoutMs ?? 10_000,
    idle_in_transaction_session_timeout: transactionTimeoutMs,
    keepAlive: true,
  });
  // Without a listener, a broken idle connection would end the process.
  pool.on('error', (error) => options.onConnectionError?.(error));
  return pool;
}

function extendQueries<Client>(client: Client, intercept: (call: QueryCall) => Promise<unknown>): Client {
  // Async, so that an error of the scope check rejects the query instead of throwing from the call.
  const $allOperations = async (call: QueryCall) => intercept(call);
  return shapeOf(client).$extends({ query: { $allOperations } }) as Client;
}

async function runTransaction<Client, T>(client: Client, fn: (tx: Models<Client>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const limits = { maxWait: connectTimeoutMs, timeout: transactionTimeoutMs };
      return (await shapeOf(client).$transaction((tx) => fn(tx as Models<Client>), limits)) as T;
    } catch (error) {
      if (!isWriteConflict(error) || attempt >= transactionAttemptsMax) rethrowMapped(error);
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

function rethrowMapped(error: unknown): never {
  throw mapDatabaseError(error);
}

async function isUp(pool: pg.Pool): Promise<boolean> {
  const query = pool.query('SELECT 1').then(
    () => true,
    () => false,
  );
  return withTimeout(query, connectTimeoutMs, false);
}

async function untilUp(
  pool: pg.Pool,
  options: { signal?: AbortSignal; onRetry?: (attempt: number) => void },
): Promise<void> {
  for (let attempt = 1; !(await isUp(pool)); attempt++) {
    options.signal?.throwIfAborted();
    options.onRetry?.(attempt);
    const pauseMs = Math.min(2_000, 100 * 2 ** Math.min(attempt, 5));
    await sleep(pauseMs, undefined, options.signal ? { signal: options.signal } : {});
  }
}
