// `npm test` runs all checks, the fastest first, and stops at the first failure.
import { join } from 'node:path';
import { prepareCheckout } from '../setup/prepare.ts';
import { renderDuration } from '../setup/progress.mjs';
import { root } from '../stack/root.ts';
import { runCommand, runJest } from './run-jest.ts';
import type { JestOutcome } from './run-jest.ts';
import { listSuites, runSuite } from './suites.ts';

interface Step {
  readonly name: string;
  readonly run: () => Promise<JestOutcome>;
}

/** Returns a step that runs a package.json script. The step reports no test counts. */
function script(name: string, title: string): Step {
  return {
    name: title,
    run: async () => ({ exitCode: await runCommand('npm', ['run', '--silent', name]), passed: 0, failed: 0 }),
  };
}

function planSteps(): Step[] {
  const suites = listSuites('daily');
  const suiteStep = (suite: string): Step => ({ name: `test:${suite}`, run: () => runSuite(suite) });
  const architecture = suites.filter((suite): boolean => suite === 'architecture');
  // The linter uses one core while the next steps run.
  // The linter's result is checked after the architecture tests.
  const linting = script('lint', 'lint').run();
  return [
    script('format:check', 'format'),
    script('typecheck', 'type check'),
    script('catalog:check', 'catalogue'),
    ...architecture.map(suiteStep),
    { name: 'lint', run: () => linting },
    // Linting and the unit tests run in parallel, because they share no state.
    // The test suites run one after another, because the stack of each suite needs the whole machine.
    { name: 'unit', run: () => runJest('unit', ['-c', join(root, 'jest.config.mjs'), '--maxWorkers=2']) },
    ...suites.filter((suite) => !architecture.includes(suite)).map(suiteStep),
  ];
}

function renderSeconds(sinceMs: number): string {
  return renderDuration(performance.now() - sinceMs);
}

const begunAt = performance.now();
const summary: string[] = [];
let passed = 0;
let failed = 0;

async function runSteps(): Promise<number> {
  for (const step of planSteps()) {
    console.log(`\n── ${step.name} ${'─'.repeat(Math.max(0, 70 - step.name.length))}`);
    const stepBegunAt = performance.now();
    const outcome = await step.run();
    passed += outcome.passed;
    failed += outcome.failed;
    const isGood = outcome.exitCode === 0;
    const counts =
      outcome.passed + outcome.failed > 0 ? `${outcome.passed} passed, ${outcome.failed} failed` : '';
    summary.push(
      `  ${isGood ? '✓' : '✗'} ${step.name.padEnd(20)} ${renderSeconds(stepBegunAt).padStart(8)}  ${counts}`,
    );
    if (!isGood) return outcome.exitCode;
  }
  return 0;
}

await prepareCheckout();
summary.push(`  ✓ ${'set-up'.padEnd(20)} ${renderSeconds(begunAt).padStart(8)}`);
process.exitCode = await runSteps();
// A failed step without test counts, such as lint, counts as one failed test.
if (process.exitCode !== 0 && failed === 0) failed = 1;
console.log(`\n${summary.join('\n')}\n  in all ${renderSeconds(begunAt)}\n`);
console.log(`${passed} passed, ${failed} failed`);
