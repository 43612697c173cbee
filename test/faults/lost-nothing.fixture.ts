import { setTimeout as waitMs } from 'node:timers/promises';
import { randomFrom, type StackUnderTest } from '@gateway/testing';
import pg from 'pg';
import { githubTools } from '../e2e/github-tools.fixture.ts';

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
