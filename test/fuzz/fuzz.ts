import fc from 'fast-check';

/**
 * The time limit per property, in seconds. With the default limit, the suite takes less than a minute. For
 * nightly runs, `FUZZ_SECONDS` raises the time limit.
 */
const secondsEach = Number(process.env['FUZZ_SECONDS'] ?? '0.5');

/**
 * Checks a property with as many cases as the time limit allows. A failure reports the seed and the reduced
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
  // The timeout leaves extra time for reducing a failing case.
  test(name, run, secondsEach * 1000 + 60_000);
}
