import { describeVerdict } from './calibration-model.ts';

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
