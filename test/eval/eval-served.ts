// `npm run eval:served -- --data DIR` compares the recall of served conversations with the recall target.
// The script replays the conversations in DIR through the real planner, calibration and routing policy.
// A scripted model recovers a missed tool with a given probability.
// A split is one random draw of traffic from the conversations of an account.
// For each split, the resulting routing policy is evaluated on all conversations of the account.
// The script prints a table for each recall target and true recovery rate.
// The last output line is JSON with the results at the worst recovery rate.
// The script needs about two minutes of CPU time.
// `--splits N` sets the splits per account, and `--traffic N` sets the conversations per split.
// `--sessions N` sets the conversations per source, and `--size N` sets the number of tools.
// `--learning` compares policies without and with account heads instead, for accounts with one tool list.
// With `--learning`, 100 shadow conversations determine the policies, and 60 other conversations are served.
import { parseArgs } from 'node:util';
import { loadCatalog } from '@gateway/model-catalog';
import { loadSessions } from './sessions/load-sessions.ts';
import { prepareSubjects } from './sessions/prepare-subjects.ts';
import { measureServed, recoveryRates, type ServedFigures } from './served/measure-served.ts';
import { measureLearning, prepareAccounts } from './served/measure-learning.ts';
import { ServedConversation } from './served/served-account.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    sessions: { type: 'string', default: '60' },
    size: { type: 'string', default: '100' },
    splits: { type: 'string', default: '20' },
    traffic: { type: 'string', default: '8000' },
    seed: { type: 'string', default: '1' },
    lane: { type: 'string', default: 'semantic' },
    learning: { type: 'boolean', default: false },
  },
});
if (values.lane !== 'keyword' && values.lane !== 'semantic') throw new Error('--lane keyword|semantic');
const targets = ['0.90', '0.95', '0.99'] as const;
const model = loadCatalog().find('anthropic', 'claude-sonnet-5');
if (model === undefined) throw new Error('the catalogue has no model to price with');
if (values.learning) {
  const data = loadSessions(values.data);
  const accounts = prepareAccounts(data, { size: Number(values.size), lane: values.lane, model });
  const options = { splits: Number(values.splits), seed: Number(values.seed) };
  const learning = await measureLearning(accounts, targets.map(Number), options);
  console.table(learning.rows);
  console.log(JSON.stringify({ learning: learning.means }));
  process.exit(0);
}

const subjects = prepareSubjects(loadSessions(values.data), {
  size: Number(values.size),
  perSource: Number(values.sessions),
  lane: values.lane,
});
const conversations = subjects.map((subject) => new ServedConversation(subject, model));
await Promise.all(conversations.map((each) => each.label(0.95)));
const accounts = [...groupBySource(), conversations];

const figures: Record<string, readonly ServedFigures[]> = {};
for (const target of targets) {
  const byRate: ServedFigures[] = [];
  for (const rhoTrue of recoveryRates)
    byRate.push(
      await measureServed(accounts, {
        ...{ recallTarget: Number(target), rhoTrue, splits: Number(values.splits) },
        ...{ length: Number(values.traffic), seed: Number(values.seed) },
      }),
    );
  figures[target] = byRate;
}
console.log(
  `${accounts.length} accounts, ${values.size} tools, ${values.splits} splits of ${values.traffic} conversations.`,
);
console.table(
  Object.entries(figures).flatMap(([target, byRate]) =>
    byRate.map(({ states, cost_ratio, ...rest }) => ({
      ...{ target, ...rest },
      'calibrated / prior / off': `${states.calibrated} / ${states.prior} / ${states.off}`,
      'cost, small and large prompts': `${cost_ratio.small}, ${cost_ratio.large}`,
    })),
  ),
);
console.log(
  JSON.stringify({
    targets: Object.fromEntries(Object.entries(figures).map(([target, each]) => [target, worstOf(each)])),
  }),
);
process.exit(0);

/**
 * Returns the metrics for the true recovery rate at which the fewest splits (random draws of traffic) meet
 * the recall target.
 */
function worstOf(byRate: readonly ServedFigures[]): Omit<ServedFigures, 'states'> | undefined {
  const [worst] = byRate.toSorted((one, other) => one.met_share - other.met_share);
  if (worst === undefined) return undefined;
  const { met_share, forwarded_recall, effective_recall, rho_true, rho_used, k, tools_share, cost_ratio } =
    worst;
  return { met_share, forwarded_recall, effective_recall, rho_true, rho_used, k, tools_share, cost_ratio };
}

/** Creates one account per conversation source, and one account with the conversations of all sources. */
function groupBySource(): ServedConversation[][] {
  const sources = Map.groupBy(subjects.keys(), (at) => subjects[at]?.session.source);
  return [...sources.values()].map((places) => places.flatMap((at) => conversations[at] ?? []));
}
