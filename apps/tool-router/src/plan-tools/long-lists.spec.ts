import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PlanToolsReply } from '@gateway/contracts';
import { hashToolList } from '@gateway/contracts';
import { createLogger, createMetrics } from '@gateway/observability';
import { recallPriors } from '../policy/recall-prior.ts';
import { openRanking, type Ranking } from '../ranking/open-ranking.ts';
import { openRouterShares } from '../shares/router-shares.ts';
import { ToolIntake, ToolMemory } from '../tool-index/tool-memory.ts';
import { defineTool, planRequest } from '../tool-index/tools.fixture.ts';
import { noSharedVectors } from '../vectors/shared-vectors.port.ts';
import { ToolPlanner } from './plan-tools.ts';

const metrics = createMetrics('tool-router');
const shares = openRouterShares(metrics);
let ranking: Ranking;
let planner: ToolPlanner;
let intake: ToolIntake;

beforeAll(async () => {
  const memory = new ToolMemory({ definitionsBytesMax: 1e9, listsBytesMax: 1e9 });
  ranking = await openRanking({
    ...{
      encoderDir: import.meta.dirname,
      secondEncoderDir: null,
      rerankerDir: null,
      threads: 1,
      budgetMs: 50_000,
    },
    logger: createLogger({ service: 'tool-router', instanceId: 'one', level: 'silent' }),
    ...{ metrics, shares, shared: noSharedVectors, onForgotten: () => undefined },
  });
  const { loop: share } = shares;
  const policies = { find: () => null };
  const options = { lists: memory, ranker: ranking.ranker, priors: recallPriors, policies, share };
  planner = new ToolPlanner({ ...options, instanceId: 'one' });
  intake = new ToolIntake({ memory, learn: () => undefined, share });
}, 60_000);
afterAll(() => ranking.close());

function makeList(name: string, count: number) {
  const tools = Array.from({ length: count }, (_, at) =>
    defineTool(`${name}_${at}`, `Does the work number ${at} of ${name} and returns what it has found.`),
  );
  return { tools, hashes: tools.map(({ hash }) => hash) };
}

function plan(accountId: string, { hashes }: ReturnType<typeof makeList>): Promise<PlanToolsReply> {
  const listHash = hashToolList(hashes);
  return planner.plan(planRequest({ accountId, listHash, toolHashes: hashes, userTurns: ['Find the work'] }));
}

it('short tool lists are planned between two pieces of work for a long tool list', async () => {
  const [long, short] = [makeList('long', 4_096), makeList('short', 20)];
  await intake.define(short.tools, 'quiet');
  const ended: string[] = [];
  let turns = 0;
  const define = intake.define(long.tools, 'busy');
  const busy = define.then(() => plan('busy', long)).then(() => ended.push('long'));
  while (!ended.includes('long')) {
    await nextTurn();
    turns += 1;
    if (turns === 2) await plan('quiet', short).then(() => ended.push('short'));
  }
  await busy;
  expect(ended).toEqual(['short', 'long']);
  expect(turns).toBeGreaterThan(5);
});

it('an account has at most one plan for a long tool list in progress, and a few waiting plans', async () => {
  const long = makeList('known', 600);
  await intake.define(long.tools, 'busy');
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, () =>
      plan('busy', long).then(
        ({ status }) => status,
        (error: unknown) => (error as { code?: string }).code,
      ),
    ),
  );
  // On a busy machine, the waiting plans may miss their deadline.
  expect(outcomes.filter((outcome) => outcome === 'rate_limit_exceeded')).toHaveLength(3);
  expect(outcomes).toContain('planned');
  await expect(plan('quiet', long)).resolves.toMatchObject({ status: 'planned' });
  const { body } = await metrics.render();
  expect(body).toMatch(/tool_router_plans_refused_total\{[^}]*reason="account_full"[^}]*\} 3/);
});
