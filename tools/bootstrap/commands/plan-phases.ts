import { join } from 'node:path';
import { root } from '../stack/root.ts';
import type { Phase, Step } from './phases.ts';
import { runCommand, runJest, stepEnv } from './run-jest.ts';
import { listSuites, runSuite } from './suites.ts';

/** Returns a step that runs a package.json script. The step reports no test counts. */
function script(name: string, title: string): Step {
  return {
    name: title,
    run: async (background) => ({
      exitCode: await runCommand('npm', ['run', '--silent', name], stepEnv(), background),
      passed: 0,
      failed: 0,
    }),
  };
}

function suiteStep(suite: string, args: readonly string[] = [], usesOneCore = false): Step {
  return { name: `test:${suite}`, run: (background) => runSuite(suite, args, { background, usesOneCore }) };
}

const unit: Step = {
  name: 'unit',
  run: () => runJest('unit', ['-c', join(root, 'jest.config.mjs'), '--maxWorkers=2']),
};

/** Suites without a stack, which take at most a minute each. */
const quick = ['architecture', 'chaos', 'k8s', 'soak'];

/** The part of `fuzz` that measures stalls of a running gateway. Other work on the machine must not disturb it. */
const stalls = 'linear-time-gateway';

/**
 * The test suites that run in parallel. The tests of the suites in the foreground run one after another in one
 * stack, so one processor core is idle most of the time.
 */
const parallel: Phase = {
  steps: ['agents', 'authz', 'e2e'].map((suite) => suiteStep(suite)),
  background: [
    suiteStep('contract', [], true),
    suiteStep('fuzz', [`--testPathIgnorePatterns=${stalls}`], true),
    suiteStep('operations'),
  ],
};

/**
 * Plans all checks of `npm test`. In each phase, the steps in the background use the processor time that the
 * other steps leave idle. The steps share no state, because each suite starts private stacks on free ports. The
 * limits of `fuzz` are in processor time.
 */
export function planPhases(): Phase[] {
  const planned = [...parallel.steps, ...(parallel.background ?? [])].map(({ name }) => name);
  const names = new Set([...quick.map((suite) => `test:${suite}`), ...planned]);
  const alone = listSuites('daily').filter((suite) => !names.has(`test:${suite}`));
  return [
    {
      steps: [
        script('format:check', 'format'),
        script('typecheck', 'type check'),
        script('catalog:check', 'catalogue'),
        ...quick.map((suite) => suiteStep(suite)),
      ],
      background: [script('lint', 'lint')],
    },
    { steps: [unit] },
    parallel,
    {
      steps: [
        ...alone.map((suite) => suiteStep(suite)),
        { ...suiteStep('fuzz', [stalls]), name: 'test:fuzz (stalls)' },
      ],
    },
  ];
}
