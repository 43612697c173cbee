import type { ListReport, Point } from './measure-list.ts';
import { promptSizes } from './prompt-sizes.ts';

/** The default recall target. The evaluation compares settings that reach the default recall target. */
const effectiveRecallMin = 0.95;

/** Prints readable tables, then one line of JSON. */
export function printReport(reports: readonly ListReport[]): void {
  for (const report of reports) {
    const { system, result } = promptSizes[report.prompt];
    console.log(
      `\n${report.tools} tools, ${system} tokens of instructions and ${result} a tool result: ${report.sessions} conversations, ${report.requestsPerSession} requests each; cost against sending everything`,
    );
    for (const [model, points] of Object.entries(report.priced)) printModel(model, points, report);
    console.log('  frontier by K (recall as below, cost by model):');
    for (const point of report.frontier) printPoint(point);
    for (const [model, points] of Object.entries(report.native)) {
      console.log(`  ${model} with its provider's own deferral:`);
      for (const point of points) printPoint(point, model);
    }
    for (const [model, points] of Object.entries(report.bound)) {
      console.log(`  ${model} binds its reasoning: ${describeBound(model, points)}`);
      for (const point of points) printPoint(point, model);
    }
  }
  const bars = reports.map((report) => ({
    ...{ tools: report.tools, prompt: report.prompt, models: barsOf(report) },
  }));
  console.log(JSON.stringify({ bars, lists: reports }));
}

interface Bar {
  /**
   * The gateway's cheapest setting that reaches the default recall target by conversation. Null if no setting
   * reaches the recall target.
   */
  readonly ours: Point | null;
  /**
   * The cheapest setting that sends the K best tools for each request. The setting's forwarded recall must be
   * at least the effective recall of `ours`.
   */
  readonly stateless: Point | null;
}

/** For each model, compares the gateway's cheapest setting with sending the K best tools for each request. */
function barsOf(report: ListReport): Record<string, Bar> {
  return Object.fromEntries(
    Object.keys(report.priced).map((model) => {
      const points = [...(report.priced[model] ?? []), ...report.frontier].filter(
        ({ effectiveRecall }) => effectiveRecall >= effectiveRecallMin,
      );
      const ours = cheapest(points, model);
      const least = ours?.effectiveRecall ?? effectiveRecallMin;
      const matching = report.stateless.filter(({ forwardedRecall }) => forwardedRecall >= least);
      return [model, { ours, stateless: cheapest(matching, model) }];
    }),
  );
}

function describeBound(model: string, points: readonly Point[]): string {
  const reached = points.filter(({ effectiveRecall }) => effectiveRecall >= effectiveRecallMin);
  const best = cheapest(reached, model);
  return best === null
    ? `effective recall ${effectiveRecallMin} is not reached`
    : `at effective recall ${effectiveRecallMin}: ${(best.cost[model] ?? 0).toFixed(3)} (${best.setting})`;
}

function cheapest(points: readonly Point[], model: string): Point | null {
  const costOf = (point: Point): number => point.cost[model] ?? Infinity;
  return points.toSorted((one, other) => costOf(one) - costOf(other))[0] ?? null;
}

function printModel(model: string, points: readonly Point[], report: ListReport): void {
  const bar = barsOf(report)[model];
  const describe = (point: Point | null | undefined): string =>
    point == null ? 'not reached' : `${(point.cost[model] ?? 0).toFixed(3)} (${point.setting})`;
  console.log(
    `  ${model}: at effective recall ${effectiveRecallMin}: ours ${describe(bar?.ours)}; per request top-K ${describe(bar?.stateless)}`,
  );
  console.log(
    '    setting: forwarded and effective recall by conversation (recovery rate used), recall by call, rounds a conversation, tools kept, cost',
  );
  for (const point of points) printPoint(point, model);
}

/**
 * Prints the figures of one setting.
 * @param model the model for which costs are printed, or undefined for the costs of all models
 */
function printPoint(point: Point, model?: string): void {
  const { forwardedRecall, effectiveRecall, recoveryRate, callRecall, roundsPerSession, keptShare } = point;
  const costs = model === undefined ? Object.values(point.cost) : [point.cost[model] ?? 0];
  const columns = [
    `forwarded ${forwardedRecall.toFixed(3)}`,
    `effective ${effectiveRecall.toFixed(3)} (${recoveryRate.toFixed(2)})`,
    `calls ${callRecall.toFixed(3)}`,
    `rounds ${roundsPerSession.toFixed(2)}`,
    `kept ${keptShare.toFixed(3)}`,
    `cost ${costs.map((each) => each.toFixed(3)).join(' ')}`,
  ];
  console.log(`    ${point.setting.padEnd(26)} ${columns.join('  ')}`);
}
