import type { RoutingPolicy } from '@gateway/contracts';
import { randomFrom } from '@gateway/testing';
import { calibrate, isNews, renderPolicy, type Calibration } from './make-policy.ts';
import { boundRecallAbove, type ShadowSample } from './measure-bucket.ts';

const day = Date.UTC(2026, 10, 1);
const goals = { recallTarget: 0.95, hasRecovery: false, learns: true };

/** Conversations of a bucket. The account head measured the conversations with a K in `learned`. */
function draw(
  intent: string,
  count: number,
  plain: (at: number) => number,
  learned: (at: number) => number | null,
): ShadowSample[] {
  return Array.from({ length: count }, (_, at): ShadowSample => {
    const learnedK = learned(at);
    return {
      ...{ at: new Date(day + at * 1000).toISOString(), bucket: `${intent}:51-100`, neededKs: [plain(at)] },
      ...{
        learnedKs: learnedK === null ? null : [learnedK],
        missed: 0,
        isArmed: true,
        share: 0.2,
        tools: 80,
      },
      setup: ['list', 'model', 'ranker'],
    };
  });
}

const policyOf = (samples: readonly ShadowSample[], previous: Calibration | null = null): RoutingPolicy =>
  renderPolicy('account', 1, new Date(day), calibrate({ samples, pruned: [] }, previous, goals));
const bucketOf = (policy: RoutingPolicy, intent = 'act') =>
  policy.buckets.find(({ bucket }) => bucket === `${intent}:51-100`)!;

/** The head measured the last conversations of a bucket only. */
const last =
  (from: number, k: (at: number) => number) =>
  (at: number): number | null =>
    at < from ? null : k(at);

describe('a bucket with few conversations that were measured with an account head', () => {
  const act = draw(
    'act',
    60,
    (at) => 20 + (at % 10),
    last(30, (at) => 1 + (at % 5)),
  );
  const lookup = draw(
    'lookup',
    40,
    () => 9,
    last(0, () => 3),
  );

  it('takes the K of all intents with the head instead of its own K without, and the policy says so', () => {
    const bucket = bucketOf(policyOf([...act, ...lookup]));
    expect(bucket).toMatchObject({ k: 29, decidedBy: 'act:51-100' });
    expect(bucket.learned).toMatchObject({ isUsed: true, k: 5, decidedBy: '*:51-100', samples: 70 });
  });

  it('keeps its own K if too few of its own conversations were measured with the head', () => {
    const few = draw(
      'act',
      60,
      (at) => 20 + (at % 10),
      last(41, () => 2),
    );
    const more = draw(
      'lookup',
      60,
      () => 9,
      last(0, () => 3),
    );
    expect(bucketOf(policyOf([...few, ...more])).learned).toMatchObject({
      isUsed: false,
      decidedBy: '*:51-100',
    });
  });

  it('raises the K until its own conversations meet the target on average', () => {
    const deep = draw(
      'act',
      60,
      (at) => 20 + (at % 10),
      last(30, (at) => (at % 10 === 0 ? 18 : 2)),
    );
    const shallow = draw(
      'lookup',
      400,
      () => 9,
      last(0, () => 3),
    );
    const policy = policyOf([...deep, ...shallow]);
    // All intents meet the target with a K of 3, but three of the 30 own conversations need a K of 18.
    expect(bucketOf(policy, '*').learned?.k).toBe(3);
    expect(bucketOf(policy).learned).toMatchObject({ isUsed: true, k: 18 });
  });

  it('keeps its own K if its own conversations need more tools with the head than without', () => {
    const worse = draw(
      'act',
      60,
      (at) => 20 + (at % 10),
      last(30, (at) => (at % 10 === 0 ? 60 : 2)),
    );
    const shallow = draw(
      'lookup',
      400,
      () => 9,
      last(0, () => 3),
    );
    const bucket = bucketOf(policyOf([...worse, ...shallow]));
    expect(bucket).toMatchObject({ k: 29, learned: { isUsed: false } });
  });

  it('publishes a new version when the K of all intents changes the decision of a bucket', () => {
    const before = calibrate({ samples: [...act, ...lookup], pruned: [] }, null, goals);
    const after = calibrate(
      {
        samples: [
          ...act,
          ...draw(
            'lookup',
            40,
            () => 9,
            last(0, () => 7),
          ),
        ],
        pruned: [],
      },
      null,
      goals,
    );
    expect(isNews(before, before)).toBe(false);
    expect(isNews(before, after)).toBe(true);
  });
});

describe('a bucket with few conversations', () => {
  it('takes the measured K of all intents, even if its earlier plans missed the target', () => {
    const missed = draw(
      'act',
      20,
      () => 8,
      last(0, () => 4),
    ).map((each) => ({ ...each, missed: 1 }));
    const usual = draw(
      'lookup',
      80,
      (at) => 1 + (at % 9),
      last(0, () => 3),
    );
    const policy = policyOf([...missed, ...usual]);
    expect(bucketOf(policy)).toMatchObject({ state: 'calibrated', isOff: false, decidedBy: '*:51-100' });
    expect(bucketOf(policy).learned).toMatchObject({ isUsed: true, decidedBy: '*:51-100' });
    expect(bucketOf(policyOf(missed))).toMatchObject({ state: 'off', reason: 'target_missed', k: null });
  });

  it('takes the K of all intents, but never a K that its own conversations contradict', () => {
    const rare = draw(
      'act',
      12,
      (at) => (at % 2 === 0 ? 50 : 4),
      () => null,
    );
    const usual = draw(
      'lookup',
      500,
      (at) => 1 + (at % 9),
      () => null,
    );
    const policy = policyOf([...rare, ...usual]);
    expect(bucketOf(policy, '*').k).toBe(9);
    expect(bucketOf(policy)).toMatchObject({ k: 50, decidedBy: '*:51-100' });
  });

  it('never gets a K below that of all intents, nor one that its labels reject, in random accounts', () => {
    const random = randomFrom(5);
    for (let account = 0; account < 200; account += 1) {
      const samples = ['act', 'lookup', 'code'].flatMap((intent) => {
        const scale = 2 + 20 * random();
        const k = (): number => Math.min(80, 1 + Math.floor(-Math.log(1 - random()) * scale));
        const from = Math.floor(40 * random());
        return draw(intent, Math.floor(150 * random()), k, last(from, k));
      });
      const policy = policyOf(samples);
      const pooled = bucketOf(policy, '*');
      for (const { bucket, k, decidedBy, learned } of policy.buckets) {
        if (bucket === '*:51-100') continue;
        const own = samples.filter((each) => each.bucket === bucket);
        const recall = (labels: readonly number[], at: number): number =>
          boundRecallAbove(labels.length, labels.filter((label) => label > at).length);
        if (decidedBy === '*:51-100' && typeof k === 'number') {
          expect(k).toBeGreaterThanOrEqual(pooled.k!);
          expect(
            recall(
              own.map(({ neededKs: [need = 1] }) => need),
              k,
            ),
          ).toBeGreaterThanOrEqual(0.95);
        }
        if (learned?.isUsed !== true) continue;
        expect(learned.k).toBeLessThan(k ?? Infinity);
        const labels = own.flatMap(({ learnedKs }) => learnedKs?.[0] ?? []);
        expect(recall(labels, learned.k!)).toBeGreaterThanOrEqual(0.95);
        if (learned.decidedBy === '*:51-100') expect(learned.k).toBeGreaterThanOrEqual(pooled.learned!.k!);
      }
    }
  });
});
