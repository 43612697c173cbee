/**
 * A point of a bucket's recall curve. The field `value` is the recall (0 to 1) at `k` ranked tools. The fields
 * `low` and `high` are the bounds of the recall.
 */
export interface CurvePoint {
  readonly k: number;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

type RecallAt = Readonly<
  Record<string, { readonly value: number; readonly low: number; readonly high: number }>
>;

/** The recall curve of a bucket, ordered by K (the number of ranked tools). */
export function listCurve(recallAt: RecallAt): CurvePoint[] {
  return Object.entries(recallAt)
    .map(([k, recall]) => ({ k: Number(k), ...recall }))
    .sort((one, other) => one.k - other.k);
}

/**
 * The positions of points in a chart. The axis for K (the number of ranked tools) is logarithmic, because
 * small values of K matter most.
 */
export interface Scale {
  readonly x: (k: number) => number;
  readonly y: (share: number) => number;
  readonly ks: readonly number[];
}

export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const shownKs = [1, 2, 5, 10, 20, 50, 100, 200, 512];

export function makeScale(points: readonly CurvePoint[], { left, right, top, bottom }: Frame): Scale {
  const kMax = Math.max(2, ...points.map(({ k }) => k));
  const x = (k: number) => left + (Math.log(Math.max(1, k)) / Math.log(kMax)) * (right - left);
  const y = (share: number) => bottom - share * (bottom - top);
  return { x, y, ks: shownKs.filter((k) => k <= kMax) };
}

/**
 * The recall curve as an SVG path with steps, because recall does not change between two measured values of K
 * (the number of ranked tools).
 */
export function drawSteps(
  points: readonly CurvePoint[],
  scale: Scale,
  read: (point: CurvePoint) => number,
): string {
  return points
    .map((point, at) => {
      const [x, y] = [round(scale.x(point.k)), round(scale.y(read(point)))];
      return at === 0 ? `M${x} ${y}` : `H${x}V${y}`;
    })
    .join('');
}

/** The area between the bounds of recall as an SVG path. */
export function drawBand(points: readonly CurvePoint[], scale: Scale): string {
  const high = drawSteps(points, scale, (point) => point.high);
  // The path draws the lower edge of the area from right to left.
  // For each point, the path runs left from the next measured K to the K of the point.
  const low = points.toReversed().map((point) => `V${round(scale.y(point.low))}H${round(scale.x(point.k))}`);
  return points.length === 0 ? '' : `${high}${low.join('')}Z`;
}

const round = (value: number) => Math.round(value * 10) / 10;
