// The migration image contains this file without the other files of the library, so the file imports only `pg`.
import pg from 'pg';

/** The settings of a connection pool that depend on the database URL. */
export type PrimarySettings = Pick<pg.PoolConfig, 'connectionString' | 'Client'>;

/** Maximum time in milliseconds until a server answers a probe. A pool waits 2 s for a connection. */
const probeMs = 1_000;

/**
 * Returns the pool settings for a database URL with one or several hosts, in libpq's format
 * `postgresql://user:password@a:5432,b:5432/database?target_session_attrs=read-write`. With several hosts, each new
 * connection goes to the primary server. After a failover, the pool finds the promoted server by probing all hosts.
 * @throws Error if a host is missing, or if `target_session_attrs` allows a standby server
 */
export function connectToPrimary(url: string): PrimarySettings {
  const [first = '', ...others] = listHostUrls(url);
  if (others.length === 0) return { connectionString: first };
  const finder = new PrimaryFinder([first, ...others]);
  return { connectionString: first, Client: createClientClass(finder) };
}

/** Returns one URL per host, without `target_session_attrs`, which only libpq understands. A URL of one host is unchanged. */
function listHostUrls(url: string): string[] {
  const [head = '', hosts = ''] = /^\w+:\/\/(?:[^@/?#]*@)?([^/?#]*)/.exec(url) ?? [];
  const [start, rest] = [head.slice(0, head.length - hosts.length), url.slice(head.length)];
  if (!hosts.includes(',')) return [url];
  return hosts.split(',').map((host) => {
    if (host === '') throw new Error('the database URL has an empty host');
    const each = new URL(`${start}${host}${rest}`);
    const attributes = each.searchParams.get('target_session_attrs') ?? 'read-write';
    if (!['read-write', 'primary'].includes(attributes))
      throw new Error(`target_session_attrs must be read-write or primary, not ${attributes}`);
    each.searchParams.delete('target_session_attrs');
    return each.href;
  });
}

interface Server {
  readonly host: string;
  readonly port: number;
}

/** Finds the primary among several servers, and remembers it until a connection to it fails. */
class PrimaryFinder {
  readonly #urls: readonly string[];
  #known: Server | null = null;
  #search: Promise<Server> | null = null;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  /** Rejects with the code `ECONNREFUSED` if no server is a primary. Parallel calls share one search. */
  async find(): Promise<Server> {
    if (this.#known !== null) return this.#known;
    this.#search ??= this.#probeAll().finally(() => (this.#search = null));
    return this.#search;
  }

  /** Makes the next call of `find` probe all servers. */
  forget(): void {
    this.#known = null;
  }

  async #probeAll(): Promise<Server> {
    const found = await Promise.all(this.#urls.map((url) => probe(url)));
    const primaries = found.filter((each) => each !== null);
    // After a failover, the former primary may start again as a primary. The promoted server has a newer timeline.
    const [newest] = primaries.toSorted((one, other) => (one.timeline < other.timeline ? 1 : -1));
    if (newest === undefined) throw refuse('no host of the database URL is a primary server');
    this.#known = newest;
    return newest;
  }
}

/** Returns an error that Prisma and `mapDatabaseError` treat as an unreachable database. */
function refuse(message: string): Error {
  return Object.assign(new Error(message), { code: 'ECONNREFUSED', syscall: 'connect', errno: -111 });
}

/**
 * Returns the timeline of a primary as eight hexadecimal digits, and an empty text for a standby. Each promotion
 * increments the timeline. The timeline is the start of the name of a WAL file (Postgres manual, "WAL Internals").
 */
const readTimeline = `
  SELECT CASE WHEN pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' THEN ''
    ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline`;

async function probe(url: string): Promise<(Server & { readonly timeline: string }) | null> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: probeMs,
    query_timeout: probeMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const timeline = await readTimelineOf(client);
    return timeline === '' ? null : { host: client.host, port: client.port, timeline };
  } catch {
    return null;
  } finally {
    // The end of a connection to a server that hangs never arrives.
    void client.end().catch(() => undefined);
  }
}

/** Reads the timeline with a client or a pool. The result is an empty text for a standby. */
export async function readTimelineOf(client: Pick<pg.Pool, 'query'>): Promise<string> {
  return (await client.query<{ timeline: string }>(readTimeline)).rows[0]?.timeline ?? '';
}

type Connected = Parameters<pg.Client['connect']>[0];

/** A client that closes its connection if a query waits longer than `query_timeout`, because the server hangs. */
class ClosingClient extends pg.Client {
  // A transaction would otherwise return the hanging connection to the pool.
  override readonly query = ((...given: Parameters<pg.Client['query']>): unknown => {
    const send = super.query.bind(this) as (...sent: typeof given) => unknown;
    const sent = send(...given);
    if (sent instanceof Promise)
      sent.catch((error: unknown) => {
        if (error instanceof Error && error.message === 'Query read timeout')
          this.connection.stream.destroy();
      });
    return sent;
  }) as pg.Client['query'];
}

/** Returns a client class for `pg.Pool`, which creates clients without further arguments. */
function createClientClass(finder: PrimaryFinder): typeof pg.Client {
  return class PrimaryClient extends ClosingClient {
    override connect(): Promise<pg.Client>;
    override connect(done: Connected): void;
    override connect(done?: Connected): Promise<pg.Client> {
      const connected = this.#connect();
      // Both overloads describe the same callback. Its error is null if the connection is open.
      const settle = done as ((error: Error | null, client?: pg.Client) => void) | undefined;
      if (settle !== undefined) connected.then((client) => settle(null, client), settle);
      return connected;
    }

    async #connect(): Promise<this> {
      const { host, port } = await finder.find();
      Object.assign(this, { host, port });
      try {
        await super.connect();
        if ((await readTimelineOf(this)) === '') throw refuse('the server is a standby');
        return this;
      } catch (error) {
        finder.forget();
        void this.end().catch(() => undefined);
        throw error;
      }
    }
  };
}
