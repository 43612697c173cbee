import { runPhases, renderReport, type Step } from './phases.ts';
import { planPhases } from './plan-phases.ts';
import { runCommand, stepEnv } from './run-jest.ts';
import { listSuites } from './suites.ts';

/** Returns the work of a step that must not run, and the calls of the work. */
function openNever(): { readonly never: Step['run']; readonly calls: string[] } {
  const calls: string[] = [];
  const never: Step['run'] = () => {
    calls.push('called');
    return Promise.resolve({ exitCode: 0, passed: 0, failed: 0 });
  };
  return { never, calls };
}

/** Returns a step that runs a program in a separate Node process. */
function program(name: string, code: string): Step {
  return {
    name,
    run: async (background) => ({
      exitCode: await runCommand(process.execPath, ['-e', code], stepEnv(), background),
      passed: 1,
      failed: 0,
    }),
  };
}

/** Returns a terminal that stores its text. */
function openTerminal() {
  const written: string[] = [];
  return { write: (text: string | Buffer) => written.push(text.toString()), text: () => written.join('') };
}

test('the output of a step in the background is whole, follows its own heading, and comes after the other steps', async () => {
  const terminal = openTerminal();
  const loud = program(
    'loud',
    'for (let at = 0; at < 20_000; at++) console.log(`line ${at}`); console.error("!")',
  );
  const reports = await runPhases([{ steps: [program('first', '')], background: [loud] }], terminal);
  const [before = '', after = ''] = terminal.text().split('── loud');
  expect(before).toContain('── first');
  expect(before).not.toContain('line 0');
  expect(after.match(/^line \d+$/gm)).toHaveLength(20_000);
  expect(after).toContain('!');
  expect(reports.map(({ name, exitCode, wasBackground }) => ({ name, exitCode, wasBackground }))).toEqual([
    { name: 'first', exitCode: 0, wasBackground: false },
    { name: 'loud', exitCode: 0, wasBackground: true },
  ]);
});

test('steps in a phase run at the same time, and the next phase waits for both', async () => {
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const note = (name: string, wait?: Promise<undefined>): Step => ({
    name,
    run: async () => {
      await wait;
      order.push(name);
      return { exitCode: 0, passed: 1, failed: 0 };
    },
  });
  const frees: Step = { name: 'frees', run: async () => (resolve(undefined), note('frees').run()) };
  const phases = [{ steps: [note('waits', promise)], background: [frees] }, { steps: [note('last')] }];
  await runPhases(phases, openTerminal());
  expect(order).toEqual(['frees', 'waits', 'last']);
});

test('a failure in the background is reported with its output, and the later steps do not run', async () => {
  const terminal = openTerminal();
  const fails = program('fails', 'console.log("the reason"); process.exit(3)');
  const slow = program('slow', 'setTimeout(() => {}, 1500)');
  const { never, calls } = openNever();
  const reports = await runPhases(
    [
      { steps: [slow, { name: 'never', run: never }], background: [fails, { name: 'never', run: never }] },
      { steps: [{ name: 'never', run: never }] },
    ],
    terminal,
  );
  expect(reports.map(({ name, exitCode }) => [name, exitCode])).toEqual([
    ['slow', 0],
    ['fails', 3],
  ]);
  expect(terminal.text()).toContain('the reason');
  expect(calls).toEqual([]);
});

test('after a failure in the foreground, the running step in the background ends and no further step begins', async () => {
  const { never, calls } = openNever();
  const terminal = openTerminal();
  const slow = program('slow', 'setTimeout(() => console.log("all done"), 1000)');
  const phase = {
    steps: [program('fails', 'process.exit(2)'), { name: 'never', run: never }],
    background: [slow, { name: 'never', run: never }],
  };
  const reports = await runPhases([phase, { steps: [{ name: 'never', run: never }] }], terminal);
  expect(reports.map(({ name, exitCode }) => [name, exitCode])).toEqual([
    ['fails', 2],
    ['slow', 0],
  ]);
  expect(terminal.text()).toContain('all done');
  expect(calls).toEqual([]);
});

test('the summary names the steps that ran in parallel', () => {
  const report = {
    name: 'test:fuzz',
    exitCode: 1,
    passed: 5,
    failed: 2,
    durationMs: 3_000,
    wasBackground: true,
  };
  expect(renderReport(report)).toMatch(/^ {2}✗ test:fuzz +3\.0 s {2}5 passed, 2 failed \(in parallel\)$/);
});

test('every suite is planned, and only `fuzz` is planned in two parts', () => {
  const planned = planPhases().flatMap(({ steps, background = [] }) =>
    [...steps, ...background].map(({ name }) => name),
  );
  const suites = listSuites('daily').map((suite) => `test:${suite}`);
  const others = ['format', 'type check', 'catalogue', 'lint', 'unit', 'test:fuzz (stalls)'];
  expect(planned.sort()).toEqual([...suites, ...others].sort());
});
