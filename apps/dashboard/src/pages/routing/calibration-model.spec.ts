import { describeLearning, describeVerdict, renderDecider } from './calibration-model.ts';

type Bucket = Parameters<typeof describeVerdict>[0];

const bucketOf = (fields: Partial<Bucket>) =>
  ({ basis: 'calibrated', samples: 120, kept_share: 0.2, effective_recall: null, ...fields }) as Bucket;
const recallOf = (value: number, low: number) => ({ value, low, high: 1 });

it.each([
  [
    { effective_recall: recallOf(0.98, 0.96) },
    /on, 20% of the tools are sent, .* 98% meets the target of 95%\.$/,
  ],
  [{ effective_recall: recallOf(0.96, 0.94) }, /96% may miss the target of 95%\.$/],
  [{ basis: 'prior' as const, samples: 3 }, /shipped default, 20% .* 3 conversations are too few/],
  [
    { basis: 'off' as const },
    /^Pruning is off, because the measured recall does not meet the target of 95%\.$/,
  ],
])('the verdict on a bucket is one sentence: %j', (fields, verdict) => {
  const text = describeVerdict(bucketOf(fields), 0.95);
  expect(text).toMatch(verdict);
  expect(text.match(/\.(?: |$)/g)).toHaveLength(1);
});

const learningOf = (fields: Partial<NonNullable<Bucket['learning']>>) => ({
  ...{ used: false, decided_by: '*:51-100', samples: 61, since: '2026-03-04T05:06:07.000Z', k: 12 },
  ...{ k_without_recovery: null, forwarded_recall: null, effective_recall: null, ...fields },
});

describe('the sentence on learning', () => {
  it.each([
    [{ k: 40 }, { used: true }, /^The learned ranking decides K .* K is 12 with learning and 40 without\./],
    [{ k: 12 }, {}, /^The ranking without learning decides K .* because K with learning is not smaller\./],
    [{ k: 40 }, {}, /because too few conversations of this bucket were measured with learning\./],
    [{ k: 40 }, { k: null }, /do not support a K yet\. K is not known yet with learning and 40 without\./],
    [{ k: null, basis: 'off' as const }, {}, /because pruning is off\./],
  ])('names the ranking that decides K, and the reason: %j %j', (bucket, learning, sentence) => {
    const measured = bucketOf({ bucket: '*:51-100', ...bucket, learning: learningOf(learning) });
    expect(describeLearning(measured)).toMatch(sentence);
    expect(describeLearning(measured)).toMatch(/61 conversations measured with learning since 2026-03-04\.$/);
  });

  it('names the bucket of the measurements if it is another bucket', () => {
    const borrowed = bucketOf({ bucket: 'search:51-100', k: 40, learning: learningOf({ used: true }) });
    expect(describeLearning(borrowed)).toMatch(/\(measurements of all intents, 51-100 tools\)\.$/);
  });
});

it('names the ranking that decides K in a table cell', () => {
  expect(renderDecider(bucketOf({ learning: learningOf({ used: true }) }))).toBe('learned ranking');
  expect(renderDecider(bucketOf({ learning: null }))).toBe('ranking without learning');
  expect(renderDecider(bucketOf({ basis: 'off', learning: null }))).toBe('nothing (pruning is off)');
});
