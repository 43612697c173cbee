import type { ListReport } from './measure-list.ts';
import { comparedRates, type Point } from './point.ts';
import { promptSizes } from './prompt-sizes.ts';

/** The default recall target. The evaluation compares settings that reach the default recall target. */
const effectiveRecallMin = 0.95;

/** Prints readable tables and one line of JSON. */
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
      console.log(
        `  ${model} binds its reasoning; compressed tool results have ${report.resultShare} of their tokens`,
      );
      for (const line of describeBound(model, points)) console.log(`    ${line}`);
      for (const point of points) printBoundPoint(point, model);
    }
  }
  const bars = reports.map((report) => ({
    ...{ tools: report.tools, prompt: report.prompt, models: barsOf(report) },
  }));
  console.log(JSON.stringify({ bars, lists: reports }));
}

interface Bar {
  /**
   * The gateway's cheapest setting that reaches the default recall target per conversation. Returns
   * null if no setting reaches the recall target.
   */
  readonly ours: Point | null;
  /**
   * The cheapest setting that sends each request with its K best tools. This setting's forwarded share of the
   * needed tools is at least the effective recall of `ours`.
   */
  readonly stateless: Point | null;
}

/** For each model, compares the gateway's cheapest setting with the cheapest setting that sends the K best tools. */
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

/**
 * For a model with bound reasoning, renders the bill of unchanged requests by part. For each recovery rate,
 * adds the cheapest method that reaches the default recall target.
 */
function describeBound(model: string, points: readonly Point[]): string[] {
  const unchanged = points[0];
  const lines =
    unchanged === undefined ? [] : [`bill of unchanged requests: ${renderBill(unchanged, model)}`];
  for (const rate of comparedRates) {
    const reached = points.filter((point) => (point.effectiveAt[String(rate)] ?? 0) >= effectiveRecallMin);
    const best = cheapest(reached, model);
    const found =
      best === null
        ? 'not reached'
        : `${(best.cost[model] ?? 0).toFixed(3)} (${best.setting}, forwarded recall ${best.forwardedRecall.toFixed(3)}): ${renderBill(best, model)}`;
    lines.push(`effective recall ${effectiveRecallMin} at recovery rate ${rate}: ${found}`);
  }
  return lines;
}

function renderBill({ bill }: Point, model: string): string {
  const parts = Object.entries(bill[model] ?? {}) as [string, number][];
  return parts.map(([part, share]) => `${part} ${share.toFixed(3)}`).join(', ');
}

function printBoundPoint(point: Point, model: string): void {
  const effective = comparedRates.map((rate) => (point.effectiveAt[String(rate)] ?? 0).toFixed(3));
  const columns = [
    `forwarded ${point.forwardedRecall.toFixed(3)}`,
    `effective ${effective.join(' ')}`,
    `rate needed ${point.rateNeeded.toFixed(2)}`,
    `searches ${point.roundsPerSession.toFixed(2)}`,
    `kept ${point.keptShare.toFixed(3)}`,
    `cost ${(point.cost[model] ?? 0).toFixed(3)}`,
  ];
  console.log(`    ${point.setting.padEnd(40)} ${columns.join('  ')}`);
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
 * Prints the costs and recall of one setting.
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
