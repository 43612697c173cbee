import { effectiveRecallMin, usedShare, type ListReport, type Point } from './measure-list.ts';

/** Prints tables for people, then one line of JSON. */
export function printReport(reports: readonly ListReport[]): void {
  for (const report of reports) {
    console.log(
      `\n${report.tools} tools: ${report.sessions} sessions, ${report.requestsPerSession} requests each; cost against sending everything`,
    );
    for (const [model, points] of Object.entries(report.priced)) printModel(model, points, report);
    console.log(
      '  frontier by K (forwarded recall, effective recall, rounds a session, then cost by model):',
    );
    for (const point of report.frontier) printPoint(point);
    for (const [model, points] of Object.entries(report.native)) printNative(model, points);
  }
  const bars = Object.fromEntries(reports.map((report) => [report.tools, barsOf(report)]));
  console.log(JSON.stringify({ bars, lists: reports }));
}

interface Bar {
  /** The cheapest setting that reaches the required effective recall. Null if no setting does. */
  readonly ours: Point | null;
  /** The cheapest stateless K whose forwarded recall matches the effective recall of `ours`. */
  readonly stateless: Point | null;
}

/** Computes the bars for each model. */
function barsOf(report: ListReport): Record<string, Bar> {
  return Object.fromEntries(
    Object.keys(report.priced).map((model) => {
      const points = [...(report.priced[model] ?? []), ...report.frontier].filter(
        (point) => effective(point) >= effectiveRecallMin,
      );
      const ours = cheapest(points, model);
      const least = ours === null ? effectiveRecallMin : effective(ours);
      const stateless = cheapest(
        report.stateless.filter(({ forwardedRecall }) => forwardedRecall >= least),
        model,
      );
      return [model, { ours, stateless }];
    }),
  );
}

function cheapest(points: readonly Point[], model: string): Point | null {
  const costOf = (point: Point): number => point.cost[model] ?? Infinity;
  return points.toSorted((one, other) => costOf(one) - costOf(other))[0] ?? null;
}

function printModel(model: string, points: readonly Point[], report: ListReport): void {
  const bar = barsOf(report)[model];
  const describe = (point: Point | null | undefined): string =>
    point == null
      ? 'not reached'
      : `${(point.cost[model] ?? 0).toFixed(3)} (${point.setting}, effective ${effective(point).toFixed(3)}, rounds ${point.roundsPerSession.toFixed(2)})`;
  console.log(
    `  ${model}: at effective recall ${effectiveRecallMin}: ours ${describe(bar?.ours)}; per request top-K ${describe(bar?.stateless)}`,
  );
  for (const point of points) {
    const cost = (point.cost[model] ?? 0).toFixed(3);
    console.log(
      `    ${point.setting.padEnd(22)} cost ${cost}  forwarded ${point.forwardedRecall.toFixed(3)}  effective ${effective(point).toFixed(3)}  rounds ${point.roundsPerSession.toFixed(2)}  kept ${point.keptShare.toFixed(3)}`,
    );
  }
}

function printNative(model: string, points: readonly Point[]): void {
  console.log(
    `  ${model} by its provider's own way (forwarded recall, effective recall, searches a session, cost):`,
  );
  for (const point of points) {
    const { setting, forwardedRecall, roundsPerSession } = point;
    const rounds = roundsPerSession.toFixed(2).padStart(5);
    console.log(
      `    ${setting.padEnd(30)} ${forwardedRecall.toFixed(3)} ${effective(point).toFixed(3)} ${rounds} ${(point.cost[model] ?? 0).toFixed(3).padStart(6)}`,
    );
  }
}

function effective({ effectiveRecall }: Point): number {
  return effectiveRecall[usedShare] ?? 0;
}

function printPoint(point: Point): void {
  const { setting, cost, forwardedRecall, roundsPerSession } = point;
  const costs = Object.values(cost).map((each) => each.toFixed(3).padStart(6));
  console.log(
    `    ${setting.padEnd(18)} ${forwardedRecall.toFixed(3)} ${effective(point).toFixed(3)} ${roundsPerSession.toFixed(2).padStart(5)} ${costs.join(' ')}`,
  );
}
