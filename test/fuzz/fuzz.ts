import fc from 'fast-check';

/** Seconds for each property: few enough for the suite to stay under a minute; more by `FUZZ_SECONDS`, for a night. */
const secondsEach = Number(process.env['FUZZ_SECONDS'] ?? '0.5');

/** A property held to as many cases as fit the time. A failure names the seed and the shrunk case. */
export function fuzz<Case>(name: string, cases: fc.Arbitrary<Case>, holds: (example: Case) => void): void {
  const run = (): void => {
    fc.assert(fc.property(cases, holds), {
      numRuns: 2_000_000_000,
      interruptAfterTimeLimit: secondsEach * 1000,
      markInterruptAsFailure: false,
    });
  };
  // Shrinking a failure takes its own time.
  test(name, run, secondsEach * 1000 + 60_000);
}
