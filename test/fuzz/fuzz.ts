import fc from 'fast-check';

/**
 * Time limit per property, in seconds. The default keeps the suite under a minute, and `FUZZ_SECONDS` raises
 * the limit for nightly runs.
 */
const secondsEach = Number(process.env['FUZZ_SECONDS'] ?? '0.5');

/**
 * Checks a property on as many cases as fit into the time limit. A failure reports the seed and the shrunk
 * case.
 */
export function fuzz<Case>(name: string, cases: fc.Arbitrary<Case>, holds: (example: Case) => void): void {
  const run = (): void => {
    fc.assert(fc.property(cases, holds), {
      numRuns: 2_000_000_000,
      interruptAfterTimeLimit: secondsEach * 1000,
      markInterruptAsFailure: false,
    });
  };
  // Leaves additional time for shrinking a failure.
  test(name, run, secondsEach * 1000 + 60_000);
}
