// Measures whether the recall target is met by what is served: `npm run eval:served -- --data DIR`. Replays the
// conversations of DIR through the real planner, calibration and policy. A scripted model recovers a missed tool
// with a probability that the gateway does not know. Each split draws new random traffic from an account's
// conversations; the policy that results is judged on all of them. Prints a table, then one line of JSON.
// `--splits N` per account, `--traffic N` conversations per split, `--sessions N` per source, `--size N` tools.
import { parseArgs } from 'node:util';
import { loadCatalog } from '@gateway/model-catalog';
import { loadSessions } from './sessions/load-sessions.ts';
import { prepareSubjects } from './sessions/prepare-subjects.ts';
import { measureServed, recoveryRates, type ServedFigures } from './served/measure-served.ts';
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
  },
});
if (values.lane !== 'keyword' && values.lane !== 'semantic') throw new Error('--lane keyword|semantic');
const targets = ['0.90', '0.95', '0.99'] as const;
const model = loadCatalog().find('anthropic', 'claude-sonnet-4-5');
if (model === undefined) throw new Error('the catalogue has no model to price with');

const subjects = prepareSubjects(loadSessions(values.data), {
  size: Number(values.size),
  perSource: Number(values.sessions),
  lane: values.lane,
});
const conversations = subjects.map((subject) => new ServedConversation(subject, model));
await Promise.all(conversations.map((each) => each.label(0.95)));
const accounts = [...groupBySource(), conversations];

const report: Record<string, ServedFigures & { readonly by_rho: readonly ServedFigures[] }> = {};
for (const target of targets) {
  const figures: ServedFigures[] = [];
  for (const rhoTrue of recoveryRates)
    figures.push(
      await measureServed(accounts, {
        ...{ recallTarget: Number(target), rhoTrue, splits: Number(values.splits) },
        ...{ length: Number(values.traffic), seed: Number(values.seed) },
      }),
    );
  const worst = figures.toSorted((one, other) => one.met_share - other.met_share)[0];
  if (worst !== undefined) report[target] = { ...worst, by_rho: figures };
}
console.log(
  `${accounts.length} accounts, ${values.size} tools, ${values.splits} splits of ${values.traffic} conversations.`,
);
console.table(
  Object.entries(report).flatMap(([target, { by_rho }]) =>
    by_rho.map(({ states, cost_ratio, ...figures }) => ({
      ...{ target, ...figures },
      'calibrated / prior / off': `${states.calibrated} / ${states.prior} / ${states.off}`,
      'cost, small and large prompts': `${cost_ratio.small}, ${cost_ratio.large}`,
    })),
  ),
);
console.log(JSON.stringify({ accounts: accounts.length, splits: Number(values.splits), targets: report }));
process.exit(0);

/** One account per source, and one with the conversations of all sources. */
function groupBySource(): ServedConversation[][] {
  const sources = Map.groupBy(subjects.keys(), (at) => subjects[at]?.session.source);
  return [...sources.values()].map((places) => places.flatMap((at) => conversations[at] ?? []));
}
