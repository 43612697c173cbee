// `npm test` runs all checks, the fastest first, and stops at the first failure.
import { prepareCheckout } from '../setup/prepare.ts';
import { renderDuration } from '../setup/progress.mjs';
import { renderReport, runPhases } from './phases.ts';
import { planPhases } from './plan-phases.ts';

const begunAt = performance.now();
await prepareCheckout();
const setUp = `  ✓ ${'set-up'.padEnd(20)} ${renderDuration(performance.now() - begunAt).padStart(8)}`;
const reports = await runPhases(planPhases());
process.exitCode = reports.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0;

const passed = reports.reduce((sum, report) => sum + report.passed, 0);
// A failed step without test counts, such as lint, counts as one failed test.
const failed = reports.reduce((sum, report) => sum + report.failed, 0) || (process.exitCode === 0 ? 0 : 1);
console.log(`\n${[setUp, ...reports.map(renderReport)].join('\n')}`);
console.log(`  in all ${renderDuration(performance.now() - begunAt)}\n`);
console.log(`${passed} passed, ${failed} failed`);
