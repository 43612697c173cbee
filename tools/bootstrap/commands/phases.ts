import { renderDuration } from '../setup/progress.mjs';
import type { Background, JestOutcome } from './run-jest.ts';

/** A check with a name, such as a test suite. */
export interface Step {
  readonly name: string;
  /** Runs the check with the terminal, or in the background. */
  readonly run: (background?: Background) => Promise<JestOutcome>;
}

/** Steps that run one after another. At the same time, the steps in the background run one after another. */
export interface Phase {
  readonly steps: readonly Step[];
  readonly background?: readonly Step[];
}

/** The result of a step, with its duration in milliseconds. */
export interface StepReport extends JestOutcome {
  readonly name: string;
  readonly durationMs: number;
  /** Whether the step ran in the background of other steps. */
  readonly wasBackground: boolean;
}

interface Terminal {
  readonly write: (text: string | Buffer) => unknown;
}

function renderHeading(name: string): string {
  return `\n── ${name} ${'─'.repeat(Math.max(0, 70 - name.length))}\n`;
}

/** Renders a report as a line of the summary. */
export function renderReport({
  name,
  exitCode,
  passed,
  failed,
  durationMs,
  wasBackground,
}: StepReport): string {
  const counts = passed + failed > 0 ? `${passed} passed, ${failed} failed` : '';
  const note = wasBackground ? ' (in parallel)' : '';
  const duration = renderDuration(durationMs).padStart(8);
  return `  ${exitCode === 0 ? '✓' : '✗'} ${name.padEnd(20)} ${duration}  ${counts}${note}`.trimEnd();
}

async function runStep(step: Step, background?: Background): Promise<StepReport> {
  const begunAt = performance.now();
  const outcome = await step.run(background);
  const durationMs = performance.now() - begunAt;
  return { ...outcome, name: step.name, durationMs, wasBackground: background !== undefined };
}

/** The steps in the background of a phase. Keeps the output of each step. After a failure, no further step begins. */
class BackgroundSteps {
  readonly #kept = new Map<string, Buffer[]>();
  readonly #reports: StepReport[] = [];
  readonly #ended: Promise<void>;
  #isStopped = false;

  constructor(steps: readonly Step[]) {
    this.#ended = this.#run(steps);
    // The method `report` throws the error of a step that could not start.
    this.#ended.catch(() => undefined);
  }

  async #run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (this.#isStopped || this.hasFailed) return;
      const output: Buffer[] = [];
      this.#kept.set(step.name, output);
      const keep = (piece: Buffer) => void output.push(piece);
      this.#reports.push(await runStep(step, { keep }));
    }
  }

  get hasFailed(): boolean {
    return this.#reports.some(({ exitCode }) => exitCode !== 0);
  }

  /** Waits for the steps, prints their output, and returns their reports. */
  async report(terminal: Terminal): Promise<readonly StepReport[]> {
    await this.#ended;
    for (const { name } of this.#reports) {
      terminal.write(renderHeading(name));
      for (const piece of this.#kept.get(name) ?? []) terminal.write(piece);
    }
    return this.#reports;
  }

  /** Lets no further step begin. A running step continues, so that it can stop its stacks. */
  stop(): void {
    this.#isStopped = true;
  }
}

async function runPhase(
  { steps, background = [] }: Phase,
  terminal: Terminal,
): Promise<readonly StepReport[]> {
  const others = new BackgroundSteps(background);
  const reports: StepReport[] = [];
  const names = background.map(({ name }) => name).join(', ');
  if (names !== '') terminal.write(`\nIn parallel, with later output: ${names}\n`);
  for (const step of steps) {
    if (others.hasFailed) break;
    terminal.write(renderHeading(step.name));
    const report = await runStep(step);
    reports.push(report);
    if (report.exitCode !== 0) {
      others.stop();
      break;
    }
  }
  return [...reports, ...(await others.report(terminal))];
}

/** Runs the phases until the first failure. Returns the reports of all steps that ended. */
export async function runPhases(
  phases: readonly Phase[],
  terminal: Terminal = process.stdout,
): Promise<readonly StepReport[]> {
  const reports: StepReport[] = [];
  for (const phase of phases) {
    reports.push(...(await runPhase(phase, terminal)));
    if (reports.some(({ exitCode }) => exitCode !== 0)) break;
  }
  return reports;
}
