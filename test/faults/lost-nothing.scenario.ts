import { startStack, type StackUnderTest } from '@gateway/testing';
import { setTimeout as waitMs } from 'node:timers/promises';
import { connectProvider, createTestAccount, createTestKey } from '../e2e/account.fixture.ts';
import { plainAnswer, startProvider, streamedAnswer } from '../e2e/provider.fixture.ts';
import { eventually, undoAll, type Undo } from '../integration/stack.fixture.ts';
import {
  drawKills,
  expectLedgerOfLog,
  expectSumsOfLog,
  Killer,
  query,
  runUntilAnswered,
  type Seen,
} from './lost-nothing.fixture.ts';

export interface LossRun {
  readonly seed: number;
  readonly requests: number;
  readonly kills: number;
  /** The maximum time in milliseconds from the end of the test run until all pending events are written. */
  readonly settledWithinMs: number;
}

interface LoggedRow {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly saved: string;
}

/** Limits that suffice for a whole test run, although only part of the rate limit applies while Redis is down. */
const limits = {
  ...{ rate_limit_rpm: 1_000_000, k_target_override: 4 },
  ...{ daily_token_budget: 2_000_000_000, weekly_token_budget: 2_000_000_000 },
};

/**
 * Sends requests while the edge, worker, Redis and Postgres are killed and restarted. Every accepted request must
 * have exactly one row in the request log. The totals and the ledger must agree with the rows of the request log.
 */
export async function expectNothingLost(run: LossRun): Promise<void> {
  const undo: Undo[] = [];
  try {
    const stack = await startStack({ restartCrashed: true });
    undo.push(() => stack.stop());
    const { accountId, apiKey } = await createTestAccount(stack);
    const { key } = await createTestKey(stack.baseUrl, apiKey, { name: 'run', ...limits });
    const forwarded = await connectCounting(stack, apiKey, undo);

    const killer = new Killer(stack, drawKills(run.seed, run.kills, run.requests));
    const { baseUrl } = stack;
    const seen = await runUntilAnswered({
      ...{ baseUrl, key, requests: run.requests, onAnswer: (answers) => killer.note(answers) },
    });
    expect(await killer.done()).toHaveLength(run.kills);

    const rows = await settle(stack, accountId, forwarded, run.settledWithinMs);
    expectOneRowEach(rows, forwarded, seen);
    await expectSumsOfLog(stack.dev.postgres.telemetry, accountId);
    await expectLedgerOfLog(stack.dev.postgres, accountId, run.settledWithinMs);
  } finally {
    await undoAll(undo);
  }
}

/** Connects a provider that records the name of each request that it receives. */
async function connectCounting(stack: StackUnderTest, apiKey: string, undo: Undo[]): Promise<Set<string>> {
  const forwarded = new Set<string>();
  const provider = await startProvider();
  undo.push(() => provider.close());
  provider.setControls(({ body }) => {
    const { user, stream } = JSON.parse(body.toString('utf8')) as { user: string; stream: boolean };
    forwarded.add(user);
    return { ...(stream ? streamedAnswer(['Done.']) : plainAnswer), firstByteDelayMs: 5 };
  });
  const base_url = `${provider.url}/v1`;
  await connectProvider(stack.baseUrl, apiKey, { provider: 'openai', api_key: 'sk-upstream', base_url });
  return forwarded;
}

/**
 * Returns the account's request log as soon as it contains every forwarded request and no more rows arrive.
 */
async function settle(
  stack: StackUnderTest,
  accountId: string,
  forwarded: ReadonlySet<string>,
  withinMs: number,
): Promise<LoggedRow[]> {
  const read = () =>
    query<LoggedRow>(
      stack.dev.postgres.telemetry,
      `SELECT id::text, client_request_id AS name, status,
         (estimated_tokens_saved + compression_tokens_saved)::text AS saved
       FROM request_log WHERE account_id = $1`,
      [accountId],
    );
  let missing = forwarded.size;
  await eventually(async () => {
    const logged = new Set((await read()).map(({ name }) => name));
    missing = [...forwarded].filter((name) => !logged.has(name)).length;
    if (missing === 0) return true;
    await waitMs(250);
    return undefined;
  }, withinMs).catch((error: unknown) => {
    throw new Error(`${missing} of ${forwarded.size} forwarded requests are not in the log`, {
      cause: error,
    });
  });
  // If an edge sent a batch twice, the duplicate rows arrive during this wait.
  await waitMs(3_000);
  return read();
}

function expectOneRowEach(rows: readonly LoggedRow[], forwarded: ReadonlySet<string>, seen: Seen): void {
  const byName = Map.groupBy(rows, ({ name }) => name);
  expect([...byName].filter(([, same]) => same.length > 1)).toEqual([]);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  expect([...forwarded].filter((name) => !byName.has(name))).toEqual([]);
  const wrong = [...seen.answered].filter(([name, id]) => byName.get(name)?.[0]?.id !== id);
  expect(wrong).toEqual([]);
  const statuses = Map.groupBy(rows, ({ status }) => status);
  expect(statuses.get('ok')?.length).toBeGreaterThan(seen.answered.size * 0.9);
  // If the edge dies after the last byte, the log may lack the status `ok` for a complete response.
  // An edge that dies before it writes the log line to disk cannot log the request's outcome.
  const answeredNotOk = rows.filter(({ name, status }) => seen.answered.has(name) && status !== 'ok');
  expect(new Set(answeredNotOk.map(({ status }) => status))).toEqual(
    new Set(answeredNotOk.length > 0 ? ['interrupted'] : []),
  );
  expect(rows.filter(({ status, saved }) => status === 'interrupted' && saved !== '0')).toEqual([]);
  expect(rows.some(({ saved }) => saved !== '0')).toBe(true);
}
