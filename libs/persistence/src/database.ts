import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '@gateway/observability';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { isWriteConflict, mapDatabaseError } from './database-errors.ts';
import { connectToPrimary, readTimelineOf } from './primary.ts';
import { scopeArgs } from './scope-args.ts';

/**
 * The client's models, without `$queryRaw`, `$transaction` and similar methods that could bypass the account
 * scope.
 */
export type Models<Client> = Omit<Client, `$${string}`>;

export interface Database<Client> {
  /**
   * The models scoped to one account. Every query is restricted to the account's rows, and every new row
   * belongs to the account. A forgotten filter cannot expose data of other accounts.
   */
  forAccount(accountId: string): Models<Client>;
  /**
   * Runs queries on the same scoped models inside a transaction. On a write conflict the transaction is
   * retried, up to three attempts in total.
   */
  transactionForAccount<T>(accountId: string, fn: (tx: Models<Client>) => Promise<T>): Promise<T>;
  /**
   * A client for the rows of all accounts. Use the unscoped client only for maintenance, and while the
   * account is still unknown.
   */
  readonly acrossAccounts: Client;
  transactionAcrossAccounts<T>(fn: (tx: Models<Client>) => Promise<T>): Promise<T>;
  /** Sends a single query to the database with a two-second time limit. The function never throws. */
  isUp(): Promise<boolean>;
  /**
   * Waits until the database responds, retrying with increasing delays of up to two seconds. Rejects if
   * `signal` is aborted.
   */
  untilUp(options: { signal?: AbortSignal; onRetry?: (attempt: number) => void }): Promise<void>;
  /**
   * Returns the timeline of the Postgres server as eight hexadecimal digits, or null if the timeline cannot be read. The
   * promotion of a standby server increments the timeline. The function never throws.
   */
  readTimeline(): Promise<string | null>;
  /** The current state of the connection pool. */
  poolUse(): PoolUse;
  /** Closes the connection pool after queries in progress have finished. */
  close(): Promise<void>;
}

export interface PoolUse {
  /** Number of open connections, including idle connections. */
  readonly open: number;
  readonly idle: number;
  /** Number of queries that wait for a free connection. */
  readonly waiting: number;
}

export interface DatabaseOptions<Client> {
  /** A Postgres URL with one host, or with several hosts of which one is the primary server. */
  readonly url: string;
  /** The application name shown in `pg_stat_activity`. */
  readonly applicationName: string;
  readonly createClient: (adapter: PrismaPg) => Client;
  /** Models that refer to their account by a field other than `accountId`. */
  readonly accountFields?: Readonly<Record<string, string>>;
  readonly connectionsMax?: number;
  readonly statementTimeoutMs?: number;
  /**
   * A function that is called when an idle connection breaks. The connection pool replaces the broken connection.
   */
  readonly onConnectionError?: (error: Error) => void;
}

const connectTimeoutMs = 2_000;
const transactionTimeoutMs = 10_000;
/** How long the pool waits after the end of a statement's time limit, in milliseconds. */
const unansweredMs = 1_000;
const transactionAttemptsMax = 3;

interface QueryCall {
  readonly model?: string;
  readonly operation: string;
  readonly args: unknown;
  readonly query: (args: unknown) => Promise<unknown>;
}

/**
 * The methods that this library uses from a generated Prisma client. All other types depend on the schema of
 * the generated client.
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
 * Creates the connection pool and the client. The first query opens the connection, so a service can start
 * while its database is unavailable.
 */
export function createDatabase<Client>(options: DatabaseOptions<Client>): Database<Client> {
  const pool = createPool(options);
  const client = options.createClient(new PrismaPg(pool, { disposeExternalPool: true }));
  const acrossAccounts = extendQueries(client, ({ args, query }) => query(args).catch(rethrowMapped));
  const scopedTo = (accountId: string) =>
    extendQueries(client, ({ model, operation, args, query }) => {
      const field = options.accountFields?.[model ?? ''] ?? 'accountId';
      return query(scopeArgs(operation, args, { accountId, field })).catch(rethrowMapped);
    });
  return {
    acrossAccounts,
    forAccount: scopedTo,
    transactionForAccount: (accountId, fn) => runTransaction(scopedTo(accountId), fn),
    transactionAcrossAccounts: (fn) => runTransaction(acrossAccounts, fn),
    isUp: () => isUp(pool),
    untilUp: (wait) => untilUp(pool, wait),
    readTimeline: () =>
      readTimelineOf(pool).then(
        (timeline) => timeline || null,
        () => null,
      ),
    poolUse: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => shapeOf(client).$disconnect(),
  };
}

function createPool<Client>(options: DatabaseOptions<Client>): pg.Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 10_000;
  const pool = new pg.Pool({
    ...connectToPrimary(options.url),
    application_name: options.applicationName,
    max: options.connectionsMax ?? 10,
    // The connection timeout also limits how long a query waits for a free connection.
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeoutMs,
    // A server that hangs cannot end its statements, and its connections stay open.
    query_timeout: statementTimeoutMs + unansweredMs,
    idle_in_transaction_session_timeout: transactionTimeoutMs,
    keepAlive: true,
  });
  // Without a listener, a broken idle connection would end the process.
  const note = (error: Error) => options.onConnectionError?.(error);
  pool.on('error', note);
  // While a query uses a connection, the pool does not listen for errors of that connection.
  pool.on('connect', (client) => client.on('error', note));
  return pool;
}

function extendQueries<Client>(client: Client, intercept: (call: QueryCall) => Promise<unknown>): Client {
  // The function is async, so that an error from the scope check rejects the query.
  // Without `async`, the scope check would throw synchronously.
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
