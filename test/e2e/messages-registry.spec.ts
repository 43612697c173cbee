/** Tests the error registry. The tests provoke every error, and compare the response body with the registry. */
import { errorRegistry, type ErrorCode } from '@gateway/errors';
import { sharedStack } from '@gateway/testing';
import { openErrorWorld, outageCodes, provocations } from './error-provocations.fixture.ts';
import { expectRegistered, readErrorHeadings } from './errors.fixture.ts';
import type { InterfaceWorld } from './interface.fixture.ts';

const { baseUrl } = sharedStack();
const codes = Object.keys(errorRegistry) as ErrorCode[];
let world: InterfaceWorld;
let headings: ReadonlySet<string>;

beforeAll(async () => {
  world = await openErrorWorld();
  headings = await readErrorHeadings(baseUrl);
});
afterAll(() => world.close());

const provoked = codes.filter((code) => provocations[code] !== undefined);

it('every error of the registry is provoked, here or on the stack with outages', () => {
  expect([...provoked, ...outageCodes].sort()).toEqual([...codes].sort());
});

it.each(provoked)(
  '%s: a request that causes the error gets the status, type, code and page of the registry',
  async (code) => {
    const answer = await provocations[code]!(world);
    expectRegistered(code, answer, headings);
    if (errorRegistry[code].retryable) expect(answer.headers['x-should-retry']).toBe('true');
  },
  60_000,
);

afterAll(() => {
  const counts = `${provoked.length} provoked here, ${outageCodes.length} on the stack with outages`;
  process.stdout.write(`${codes.length} errors in the registry: ${counts}\n`);
});
