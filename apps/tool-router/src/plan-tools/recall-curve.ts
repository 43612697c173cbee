/**
 * How likely a needed tool stands among the first K of those that are scored: points ascending in both parts. Between two
 * points it is taken to grow evenly, from nothing at K = 0.
 */
export type RecallCurve = readonly (readonly [k: number, recall: number])[];

/** Recall at a K, 0 to 1. Past the last point it is that point's. */
export function recallAt(curve: RecallCurve, k: number): number {
  let [lastK, lastRecall] = [0, 0];
  for (const [pointK, recall] of curve) {
    if (k < pointK) return lastRecall + ((recall - lastRecall) * (k - lastK)) / (pointK - lastK);
    [lastK, lastRecall] = [pointK, recall];
  }
  return lastRecall;
}

/** Recall at each K from 0 to `kMax`, in one walk along the points. */
export function recallsUpTo(curve: RecallCurve, kMax: number): Float64Array {
  const recalls = new Float64Array(kMax + 1);
  let [lastK, lastRecall] = [0, 0];
  for (const [pointK, recall] of [...curve, [kMax + 1, curve.at(-1)?.[1] ?? 0] as const]) {
    const step = (recall - lastRecall) / (pointK - lastK);
    for (let k = lastK; k < pointK && k <= kMax; k += 1) recalls[k] = lastRecall + step * (k - lastK);
    [lastK, lastRecall] = [pointK, recall];
  }
  return recalls;
}

/** The smallest K that reaches a recall; undefined where none does. */
export function smallestK(curve: RecallCurve, recall: number): number | undefined {
  let [lastK, lastRecall] = [0, 0];
  for (const [pointK, pointRecall] of curve) {
    if (pointRecall >= recall) {
      const share = pointRecall === lastRecall ? 1 : (recall - lastRecall) / (pointRecall - lastRecall);
      return Math.max(1, Math.ceil(lastK + share * (pointK - lastK)));
    }
    [lastK, lastRecall] = [pointK, pointRecall];
  }
  return undefined;
}

/** The curve of a list `factor` times as long, as if its tools were as many times more alike: never too good. */
export function stretchCurve(curve: RecallCurve, factor: number): RecallCurve {
  return factor <= 1 ? curve : curve.map(([k, recall]) => [Math.ceil(k * factor), recall] as const);
}
