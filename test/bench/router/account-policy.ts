import type { AccountHead, CalibratedBucket, RoutingPolicy } from '@gateway/contracts';
import { createDraw } from './tool-lists.ts';
import type { ListOfTools } from './router.ts';

/** The maximum number of pairs of an account head, so that the benchmark measures the largest head. */
const pairsMax = 2_048;
const madeAt = '2026-01-01T00:00:00.000Z';

/** Creates the policy of an account that uses an account head of the maximum size for a tool list. */
export function makeHeadPolicy(list: ListOfTools): RoutingPolicy {
  const learned = { isUsed: true, samples: 100, since: madeAt, steps: [], k: 20, kWithoutRecovery: 20 };
  const bucket: CalibratedBucket = {
    ...{ bucket: '*:51-100', samples: 100, isOff: false, steps: [], state: 'calibrated' },
    ...{ reason: 'target_met', k: 40, kWithoutRecovery: 40, learned: { ...learned, expected: null } },
  };
  const accountId = '019a9f5e-0000-7000-8000-000000000001';
  return { accountId, version: 'c1', madeAt, recallTarget: 0.95, buckets: [bucket], heads: [makeHead(list)] };
}

function makeHead({ listHash, tools }: ListOfTools): AccountHead {
  const draw = createDraw(11);
  const pairs = (): AccountHead['together'] =>
    Array.from({ length: pairsMax }, () => [draw(tools.length), draw(tools.length), 1 + draw(3)]);
  return {
    ...{ list: listHash.slice(0, 16), madeAt, conversations: 100, weights: [1, 0.5, 0.5, 0.5, 0.5] },
    tools: tools.map(({ name }) => name ?? ''),
    usage: tools.map(() => -1 - draw(5)),
    usageElse: -6,
    ...{ together: pairs(), transitions: pairs() },
  };
}
