// `npm run eval:learning -- --data DIR` measures the account head on accounts of multi-turn conversations.
// Each account has the conversations of one data set, in random order, and one tool list.
// The first conversations are shadow conversations, and the later conversations measure the result.
// The script uses the real planner, calibration and training.
// `without` is the K that holds 90% of the later conversations without the account head, and `with` is this K with it.
// `served` uses the account head only where the routing policy does.
// The last output line is JSON.
// `--splits N` sets the random orders per account, and `--later N` the later conversations per order.
// A short run with `--splits 1 --later 40` takes less than a minute.
import { parseArgs } from 'node:util';
import { shuffle } from '@gateway/testing';
import { loadCatalog } from '@gateway/model-catalog';
import { listGrid } from '../../apps/tool-router/src/plan-tools/replay-grid.ts';
import { loadSessions } from './sessions/load-sessions.ts';
import { prepareSubjects } from './sessions/prepare-subjects.ts';
import { priceOf } from './sessions/point.ts';
import { LearningConversation } from './learning/learning-account.ts';
import { runSplit, type SplitFigures } from './learning/run-split.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    size: { type: 'string', default: '150' },
    splits: { type: 'string', default: '20' },
    later: { type: 'string', default: '100' },
    target: { type: 'string', default: '0.95' },
    seed: { type: 'string', default: '1' },
  },
});
const [size, recallTarget] = [Number(values.size), Number(values.target)];
const model = loadCatalog().find('anthropic', 'claude-sonnet-5');
if (model === undefined) throw new Error('the catalogue has no model to price with');
const settings = { net: 'priced', kOverride: null, recallTarget, price: priceOf(model) } as const;

const subjects = prepareSubjects(loadSessions(values.data), {
  ...{ size, perSource: 1_000, lane: 'semantic', isFixed: true },
});
const accounts = [...Map.groupBy(subjects, ({ session }) => session.source)].map(([source, own]) => ({
  source,
  conversations: own
    .filter(({ session }) => session.requests.some(({ needed }) => needed !== undefined))
    .map((subject) => new LearningConversation(subject, settings)),
}));

const rows: (SplitFigures & { readonly account: string; readonly shadow: number })[] = [];
for (const shadow of [30, 100])
  for (const { source, conversations } of accounts)
    for (let split = 0; split < Number(values.splits); split += 1) {
      const drawn = shuffle(conversations, Number(values.seed) * 1_000 + split);
      const chosen = drawn.slice(0, shadow + Number(values.later));
      rows.push({ account: source, shadow, ...(await runSplit(chosen, { shadow, recallTarget })) });
    }

const grouped = [...Map.groupBy(rows, ({ account, shadow }) => `${account} after ${shadow}`)];
console.table(
  Object.fromEntries(
    grouped.map(([name, own]) => [
      name,
      {
        without: median(own, ({ k }) => k),
        with: median(own, ({ kLearned }) => kLearned),
        served: median(own, ({ kServed }) => kServed),
        'held at 20 without': median(own, ({ held }) => held),
        'held at 20 with': median(own, ({ heldLearned }) => heldLearned),
        'policy K without': median(own, ({ policyKPlain }) => policyKPlain),
        'policy K': median(own, ({ policyK }) => policyK),
        used: mean(own.map(({ used }) => used)),
        'effective recall': mean(own.map(({ effective }) => effective)),
      },
    ]),
  ),
);
console.log(
  JSON.stringify({ recall_target: recallTarget, splits: Number(values.splits), after: summarize() }),
);
process.exit(0);

function summarize() {
  const byShadow = Map.groupBy(rows, ({ shadow }) => shadow);
  return Object.fromEntries(
    [...byShadow].map(([shadow, own]) => [
      shadow,
      {
        accounts: accounts.length,
        /** The median over all splits of K with the head, divided by K without the head. */
        k_ratio: median(own, ({ k, kLearned }) => kLearned / k),
        k_ratio_served: median(own, ({ k, kServed }) => kServed / k),
        policy_k_ratio: median(own, ({ policyK, policyKPlain }) => policyK / policyKPlain),
        /** The share of splits in which K with the head is at most one step of the grid above K without the head. */
        not_above_share: mean(own.map(({ k, kLearned }) => Number(kLearned <= stepAfter(k)))),
        not_above_share_served: mean(own.map(({ k, kServed }) => Number(kServed <= stepAfter(k)))),
        held_at_20: median(own, ({ held }) => held),
        held_at_20_learned: median(own, ({ heldLearned }) => heldLearned),
        met_share: mean(own.map(({ effective }) => Number(effective >= recallTarget))),
        effective_recall: mean(own.map(({ effective }) => effective)),
      },
    ]),
  );
}

/** Returns the next larger K of the grid that the router measures. */
function stepAfter(k: number): number {
  return listGrid(size).find((each) => each > k) ?? size;
}

function median(own: readonly SplitFigures[], valueOf: (split: SplitFigures) => number): number {
  const sorted = own.map(valueOf).sort((one, other) => one - other);
  return round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}

function mean(numbers: readonly number[]): number {
  return round(numbers.reduce((sum, value) => sum + value, 0) / Math.max(1, numbers.length));
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
