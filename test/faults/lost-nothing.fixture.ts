import { setTimeout as waitMs } from 'node:timers/promises';
import { randomFrom, type StackUnderTest } from '@gateway/testing';
import pg from 'pg';
import { githubTools } from '../e2e/github-tools.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';

/**
 * The processes that the test kills while the gateway serves requests. `worker` writes the request log,
 * `redis` is the queue, and `postgres` is the database.
 */
const victims = ['edge-gateway', 'worker', 'redis', 'postgres'] as const;
export type Victim = (typeof victims)[number];

/** A process, and the point of the test run at which it is killed. */
export interface Kill {
  readonly victim: Victim;
  /** The number of completed requests after which the process is killed. */
  readonly atAnswers: number;
  /** A random delay before the kill in milliseconds, so that kills interrupt requests at different stages. */
  readonly afterMs: number;
}

/**
 * Draws a random schedule of kills. A given seed always produces the same schedule. Each process is killed
 * about equally often, at random points in the test run.
 */
export function drawKills(seed: number, kills: number, requests: number): Kill[] {
  const random = randomFrom(seed);
  const deck: Victim[] = [];
  while (deck.length < kills) deck.push(...shuffle(victims, random));
  const times = Array.from({ length: kills }, () => Math.floor((0.02 + 0.9 * random()) * requests));
  times.sort((one, other) => one - other);
  return times.map((atAnswers, at) => ({
    victim: deck[at]!,
    atAnswers,
    afterMs: Math.floor(random() * 40),
  }));
}

function shuffle<T>(all: readonly T[], random: () => number): T[] {
  const shuffled = [...all];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
  }
  return shuffled;
}

/** What the clients received in a test run. */
export interface Seen {
  /** The gateway's request ids of all complete responses with status 200, by the client's request name. */
  readonly answered: ReadonlyMap<string, string>;
  readonly sent: number;
}

interface RunGiven {
  readonly baseUrl: string;
  readonly key: string;
  /** The number of requests to complete, excluding requests that a kill interrupted. */
  readonly requests: number;
  readonly onAnswer: (answers: number) => void;
}

const concurrency = 8;
/** The delay in milliseconds after a failed request, because the edge may be down. */
const pauseMs = 50;
/**
 * The tools of each request. The tool list is short enough for fast requests, but long enough that each plan
 * prunes some tools.
 */
const tools = githubTools.slice(0, 24);

/**
 * Sends requests with tools until the given number of requests has completed. Every second request is a
 * streaming request. Each request gets a unique name.
 */
export async function runUntilAnswered({ baseUrl, key, requests, onAnswer }: RunGiven): Promise<Seen> {
  const answered = new Map<string, string>();
  let sent = 0;
  const work = async (): Promise<void> => {
    while (answered.size < requests) {
      sent += 1;
      const name = `lost-${sent}`;
      const id = await ask(baseUrl, key, name, sent % 2 === 0);
      if (id === null) await waitMs(pauseMs);
      else onAnswer(answered.set(name, id).size);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return { answered, sent };
}

/** Sends a request and returns the gateway's request id. Returns null for an incomplete response. */
async function ask(baseUrl: string, key: string, name: string, stream: boolean): Promise<string | null> {
  const messages = [{ role: 'user', content: `Create an issue titled "${name}" in octo/hello` }];
  try {
    const answer = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': name },
      body: JSON.stringify({ model: 'openai/gpt-4o', stream, user: name, messages, tools }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await answer.text();
    const isWhole = stream ? text.endsWith('data: [DONE]\n\n') : text.endsWith('}');
    return answer.status === 200 && isWhole ? answer.headers.get('x-request-id') : null;
  } catch {
    return null;
  }
}

/**
 * Kills each process at its scheduled time, as a crash would. Waits until the supervisor has restarted the
 * process.
 */
export class Killer {
  readonly #stack: StackUnderTest;
  readonly #kills: Kill[];
  #killing: Promise<void> = Promise.resolve();
  readonly killed: Victim[] = [];

  constructor(stack: StackUnderTest, kills: readonly Kill[]) {
    this.#stack = stack;
    this.#kills = [...kills];
  }

  note(answers: number): void {
    while ((this.#kills[0]?.atAnswers ?? Infinity) <= answers) {
      const kill = this.#kills.shift()!;
      this.#killing = this.#killing.then(() => this.#kill(kill));
    }
  }

  /** Resolves after every scheduled process has been killed and is running again. */
  async done(): Promise<readonly Victim[]> {
    await this.#killing;
    return this.killed;
  }

  async #kill({ victim, afterMs }: Kill): Promise<void> {
    await waitMs(afterMs);
    const unit = this.#stack.service(victim);
    await unit.kill('SIGKILL');
    await unit.waitReady();
    this.killed.push(victim);
  }
}

export async function query<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Expects hourly totals that match the rows of the request log. */
export async function expectSumsOfLog(url: string, accountId: string): Promise<void> {
  const figures = [
    'prompt_tokens',
    'tools_in',
    'estimated_tokens_saved',
    'compression_tokens_saved',
    'cost_usd',
  ];
  const sums = figures.map((name) => `sum(${name})::float8 AS ${name}`).join(', ');
  const [ofLog] = await query(
    url,
    `SELECT count(*)::float8 AS requests, ${sums} FROM request_log WHERE account_id = $1`,
    [accountId],
  );
  const [ofHours] = await query(
    url,
    `SELECT sum(requests)::float8 AS requests, ${sums} FROM usage_hours WHERE account_id = $1`,
    [accountId],
  );
  expect(ofHours).toEqual(ofLog);
}

interface Charged {
  readonly id: string;
  readonly tools: string;
  readonly compression: string;
}

/**
 * Expects one ledger entry with the savings of each request log row. Expects a monthly total that counts each
 * row once.
 */
export async function expectLedgerOfLog(
  { telemetry, billing }: Readonly<Record<'telemetry' | 'billing', string>>,
  accountId: string,
  withinMs: number,
): Promise<void> {
  const saved = 'estimated_tokens_saved::text AS tools, compression_tokens_saved::text AS compression';
  const logged = await query<Charged>(
    telemetry,
    `SELECT id::text, ${saved} FROM request_log
     WHERE account_id = $1 AND estimated_tokens_saved + compression_tokens_saved > 0 ORDER BY id`,
    [accountId],
  );
  const readLedger = () =>
    query<Charged>(
      billing,
      `SELECT request_id::text AS id, ${saved} FROM ledger_entries WHERE account_id = $1 ORDER BY request_id`,
      [accountId],
    );
  let charged = 0;
  await eventually(async () => {
    charged = (await readLedger()).length;
    if (charged < logged.length) await waitMs(250);
    return charged >= logged.length ? true : undefined;
  }, withinMs).catch((error: unknown) => {
    throw new Error(`${charged} of ${logged.length} requests are in the ledger`, { cause: error });
  });
  // If a request was charged twice, the second charge arrives during this wait.
  await waitMs(2_000);
  expect(await readLedger()).toEqual(logged);
  const [month] = await query<{ requests: string; saved: string }>(
    billing,
    `SELECT sum(requests)::text AS requests, sum(estimated_tokens_saved + compression_tokens_saved)::text AS saved
     FROM ledger_months WHERE account_id = $1`,
    [accountId],
  );
  const sum = logged.reduce(
    (total, { tools, compression }) => total + Number(tools) + Number(compression),
    0,
  );
  expect(month).toEqual({ requests: String(logged.length), saved: String(sum) });
}
