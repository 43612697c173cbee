import type { CalibratedBucket, RoutingPolicy } from './rpc/routing-policy.v1.ts';

/** Upper ends of the bands of list sizes, in tools after allow and deny lists; the last band is open. */
const bandEnds = [25, 50, 100, 250, 500] as const;
/** In place of the intent, for a band over all of them. */
const anyIntent = '*';

/** The band of a list: `1-25`, `26-50`, … `501+`. */
export function bandOf(tools: number): string {
  const at = bandEnds.findIndex((end) => tools <= end);
  if (at < 0) return `${(bandEnds.at(-1) ?? 0) + 1}+`;
  return `${at === 0 ? 1 : (bandEnds[at - 1] ?? 0) + 1}-${bandEnds[at] ?? 0}`;
}

/** The bucket of the same band over all intents. */
export function pooledBucketOf(bucket: string): string {
  return `${anyIntent}:${bucket.slice(bucket.indexOf(':') + 1)}`;
}

/** The bucket of a session: the intent of its first turn (null: of any) and the size of its list. */
export function bucketOf(intent: string | null, tools: number): string {
  return `${intent ?? anyIntent}:${bandOf(tools)}`;
}

/**
 * What was measured for a session: the smallest K whose lower bound of recall meets the target (`k`), that everything goes
 * out (`off`), or nothing that suffices, so that shipped priors hold (null). The bucket itself comes first, then its band
 * over all intents.
 */
export type CalibratedK =
  { readonly bucket: string; readonly k: number } | { readonly bucket: string; readonly k: 'off' } | null;

export function chooseCalibratedK(
  policy: RoutingPolicy | null,
  question: { readonly intent: string; readonly tools: number; readonly recallTarget: number },
): CalibratedK {
  for (const intent of [question.intent, null]) {
    const bucket = bucketOf(intent, question.tools);
    const measured = policy?.buckets.find((each) => each.bucket === bucket);
    if (measured === undefined) continue;
    const k = chooseStep(measured, question.recallTarget);
    if (k !== undefined) return { bucket, k };
    if (measured.isOff) return { bucket, k: 'off' };
  }
  return null;
}

function chooseStep({ steps }: CalibratedBucket, recallTarget: number): number | undefined {
  return steps.find(([, recallLow]) => recallLow >= recallTarget)?.[0];
}
