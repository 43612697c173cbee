// Measures the priors for K of conversations in which the provider defers tools, and writes the priors. Usage:
// `node tools/bootstrap/script.mjs training/k-priors/fit-deferral-priors.ts [--lane keyword|semantic|both]
// [--data DIR] [--sessions N] [--modes MODE,…] [--check]`.
// The script replays whole conversations as the gateway serves them: the first turn chooses K tools, and later turns
// load a third of K tools if the model allows it. The replays exclude the conversations that `npm run eval:sessions`
// reports (the first 20 of each source). The priors of modes that `--modes` omits do not change. With `--check`, the
// script prints the priors without writing them.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { boundEffectiveAt, type MissCounts } from '../../apps/worker/src/jobs/calibrate/bound-effective.ts';
import { boundRecallBelow } from '../../apps/worker/src/jobs/calibrate/measure-bucket.ts';
import { lossOf } from '../../apps/worker/src/jobs/calibrate/recovery-rate.ts';
import { loadSessions } from '../../test/eval/sessions/load-sessions.ts';
import { prepareSubjects } from '../../test/eval/sessions/prepare-subjects.ts';
import { replayBound, type BoundSetting } from '../../test/eval/sessions/replay-native.ts';
import type { ReplaySubject } from '../../test/eval/sessions/replay.ts';

/** The number of conversations of each source that only `npm run eval:sessions` uses. */
const reportedSessions = 20;
/** The recovery rate that the gateway assumes without measurements. */
const recoveryRate = 0.5;
const recallTargets = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.98, 0.99];
const bands = [
  { toolsMax: 50, measuredTools: 50 },
  { toolsMax: 250, measuredTools: 100 },
  { toolsMax: 4096, measuredTools: 300 },
] as const;
const modes = {
  loading: { mode: 'deferred', appends: true, showsHeads: false },
  constant: { mode: 'deferred', appends: false, showsHeads: false },
  described: { mode: 'deferred', appends: false, showsHeads: true },
  pruned: { mode: 'pruned', appends: false, showsHeads: false },
} as const;
type Mode = keyof typeof modes;
const modeNames = ['loading', 'constant', 'described', 'pruned'] as const satisfies readonly Mode[];
const laneNames = ['keyword', 'semantic', 'both'] as const;
/** The names of the ranking methods in the evaluation, where `semantic` uses both encoders. */
const evaluatedLanes = { keyword: 'keyword', semantic: 'first', both: 'semantic' } as const;
const priorPath = join(import.meta.dirname, '../../apps/tool-router/src/policy/deferral-prior.json');
const price = { cacheRead: 0.1, cacheWrite: 1.25, cachedTokensMin: 1024, output: 5 };

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    lane: { type: 'string', default: 'both' },
    /** The maximum number of conversations of each source. */
    sessions: { type: 'string', default: '120' },
    modes: { type: 'string', default: 'loading,constant,described,pruned' },
    check: { type: 'boolean', default: false },
  },
});

interface Fitted {
  readonly toolsMax: number;
  readonly measuredTools: number;
  readonly kFor: readonly (readonly [recall: number, k: number])[];
  readonly kWithoutRecovery: readonly (readonly [recall: number, k: number])[];
}

/** The shipped priors of one ranking method. */
interface ShippedPrior {
  readonly version: string;
  readonly heldOut: readonly string[];
  readonly modes: Partial<Record<Mode, readonly Fitted[]>>;
}

/** For each K, the number of missed tools of each conversation, in the order of the conversations. */
type Misses = readonly (readonly [k: number, missed: readonly number[]])[];

const laneName = laneNames.find((name) => name === values.lane);
if (laneName === undefined) throw new Error(`--lane ${laneNames.join('|')}`);
const data = loadSessions(values.data);
const notes: string[] = [];
const fittedModes = modeNames.filter((name) => values.modes.split(',').includes(name));
const fitted: Partial<Record<Mode, Fitted[]>> = Object.fromEntries(fittedModes.map((mode) => [mode, []]));
for (const { toolsMax, measuredTools } of bands) {
  const subjects = prepareSubjects(data, {
    size: measuredTools,
    perSource: Number(values.sessions),
    skip: reportedSessions,
    lane: evaluatedLanes[laneName],
  });
  for (const mode of fittedModes) {
    const misses = await measureMisses(subjects, mode, measuredTools);
    const band = { toolsMax, measuredTools, ...fitBand(misses) };
    fitted[mode]?.push(band);
    notes.push(checkTransfer(mode, measuredTools, subjects, misses));
    console.log(notes.at(-1), JSON.stringify(band));
  }
}
if (!values.check) {
  const known = JSON.parse(readFileSync(priorPath, 'utf8')) as Record<string, ShippedPrior | undefined>;
  const own = known[laneName];
  const all = { ...own?.modes, ...fitted };
  const version = createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 8);
  const isKept = (note: string): boolean => !fittedModes.some((mode) => note.startsWith(`${mode},`));
  const heldOut = [...(own?.heldOut ?? []).filter(isKept), ...notes];
  const lanes = { ...known, [laneName]: { version, heldOut, modes: all } };
  writeFileSync(priorPath, `${JSON.stringify(lanes)}\n`);
}
process.exit(0);

/** Replays the conversations with ascending K. A conversation that misses no tool is held with every larger K. */
async function measureMisses(subjects: readonly ReplaySubject[], mode: Mode, tools: number): Promise<Misses> {
  const misses: [number, number[]][] = [];
  let left: readonly number[] = [...subjects.keys()];
  for (const k of listGrid(tools)) {
    const missed = subjects.map(() => 0);
    for (const at of left) {
      const subject = subjects[at];
      if (subject === undefined) continue;
      const setting: BoundSetting = {
        ...{ price, kOverride: k, recallTarget: 0.95, policy: null },
        ...modes[mode],
      };
      missed[at] = (await replayBound(subject, setting)).missed.length;
    }
    misses.push([k, missed]);
    left = left.filter((at) => (missed[at] ?? 0) > 0);
  }
  return misses;
}

/** The values of K that are replayed. Neighbouring values differ by at most 4 or by a twentieth. */
function listGrid(tools: number): number[] {
  const grid: number[] = [];
  for (let k = 8; k < tools; k += Math.max(4, Math.round(k / 20))) grid.push(k);
  return grid;
}

/**
 * For each recall target, returns the smallest K at which the lower bound of recall meets the target. The bound also
 * meets the target at every larger K.
 * The bound is the worker's 95% lower bound. A target that no K below the whole list meets has no entry.
 */
function fitBand(misses: Misses): Pick<Fitted, 'kFor' | 'kWithoutRecovery'> {
  const list = (lowOf: (missed: readonly number[]) => number): [number, number][] =>
    recallTargets.flatMap((target): [number, number][] => {
      const unmet = misses.findLastIndex(([, missed]) => lowOf(missed) < target);
      const [k] = misses[unmet + 1] ?? [];
      return k === undefined ? [] : [[target, k]];
    });
  return {
    kFor: list((missed) => boundEffectiveAt(countMisses(missed), recoveryRate).low),
    kWithoutRecovery: list((missed) =>
      boundRecallBelow(missed.length, missed.filter((count) => count > 0).length),
    ),
  };
}

function countMisses(missed: readonly number[]): MissCounts {
  return {
    samples: missed.length,
    one: missed.filter((count) => count === 1).length,
    more: missed.filter((count) => count > 1).length,
    losses: missed.reduce((sum, count) => sum + lossOf(count, recoveryRate), 0),
  };
}

/**
 * Applies the K that two sources determine for the target 0.95 to the third source, and returns its effective recall.
 * For the mode `pruned`, the recall is the forwarded recall.
 */
function checkTransfer(
  mode: Mode,
  tools: number,
  subjects: readonly ReplaySubject[],
  misses: Misses,
): string {
  const sources = subjects.map(({ session }) => session.source);
  const [table, rate] =
    mode === 'pruned' ? (['kWithoutRecovery', 0] as const) : (['kFor', recoveryRate] as const);
  const pick = (isIn: (source: string) => boolean): Misses =>
    misses.map(([k, missed]) => [k, missed.filter((_, at) => isIn(sources[at] ?? ''))]);
  const results = [...new Set(sources)].map((left) => {
    const fit = fitBand(pick((source) => source !== left))[table];
    const [, k] = fit.find(([recall]) => recall === 0.95) ?? [];
    const own = pick((source) => source === left).find(([each]) => each === k)?.[1];
    const loss = own?.reduce((sum, count) => sum + lossOf(count, rate), 0) ?? 0;
    return `${left} ${(1 - loss / (own?.length ?? 1)).toFixed(3)} (K ${k ?? 'all'})`;
  });
  return `${mode}, ${tools} tools, target 0.95 with the K of the other sources: ${results.join(', ')}`;
}
