import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '@gateway/observability';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { isWriteConflict, mapDatabaseError } from './database-errors.ts';
import { scopeArgs } from './scope-args.ts';

/** The models of a client, without `$queryRaw`, `$transaction` and their like: nothing that could leave the scope. */
export type Models<Client> = Omit<Client, `$${string}`>;

export interface Database<Client> {
  /**
   * The models as one account sees them. Every query through it is narrowed to that account's rows, whatever its
   * arguments say, and every row it writes is that account's; so a forgotten filter cannot leak.
   */
  forAccount(accountId: string): Models<Client>;
  /** The same within one transaction, which is run again (from its start, three times at most) on a write conflict. */
  transactionForAccount<T>(accountId: string, fn: (tx: Models<Client>) => Promise<T>): Promise<T>;
  /** Every account's rows. Only for what cannot know the account yet, and for upkeep of the whole database. */
  readonly acrossAccounts: Client;
  transactionAcrossAccounts<T>(fn: (tx: Models<Client>) => Promise<T>): Promise<T>;
  /** One round trip within two seconds. Never throws. */
  isUp(): Promise<boolean>;
  /** Waits until the database answers, with growing pauses up to two seconds. Rejects when `signal` is aborted. */
  untilUp(options: { signal?: AbortSignal; onRetry?: (attempt: number) => void }): Promise<void>;
  /** What the pool's connections do now. */
  poolUse(): PoolUse;
  /** Waits for the queries under way. */
  close(): Promise<void>;
}

export interface PoolUse {
  /** Connections that are open, those that do nothing among them. */
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
  /** Models whose rows belong to an account by another field than `accountId`. */
  readonly accountFields?: Readonly<Record<string, string>>;
  readonly connectionsMax?: number;
  readonly statementTimeoutMs?: number;
  /** A connection that broke while idle. The pool replaces it. */
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

/** What this library calls of a generated Prisma client. The clients differ in every other type. */
interface PrismaClientShape {
  $extends(extension: { query: { $allOperations: (call: QueryCall) => Promise<unknown> } }): unknown;
  $transaction(
    fn: (tx: unknown) => Promise<unknown>,
    limits: { maxWait: number; timeout: number },
  ): Promise<unknown>;
  $disconnect(): Promise<void>;
}
const shapeOf = (client: unknown) => client as PrismaClientShape;

/** Makes the pool and the client. Connects with the first query, so that a service starts while its database is away. */
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
    // Also how long a query waits for a free connection, which bounds the queue in front of the pool.
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeoutMs ?? 10_000,
    idle_in_transaction_session_timeout: transactionTimeoutMs,
    keepAlive: true,
  });
  // Without a listener, an idle connection that breaks would end the process.
  pool.on('error', (error) => options.onConnectionError?.(error));
  return pool;
}

function extendQueries<Client>(client: Client, intercept: (call: QueryCall) => Promise<unknown>): Client {
  // async, so that what the interception throws rejects the query instead of the call that made it
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
