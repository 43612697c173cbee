import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startStack } from '../../libs/testing/src/stack/start-stack.ts';
import { installPrograms } from '../../tools/bootstrap/setup/servers.ts';
import { requireProgram } from '../../tools/bootstrap/stack/programs.ts';
import { startBrowser } from './start-browser.ts';

/** The browser that the system's packages have, installed like Redis and NATS where it is missing. */
function findChromium() {
  installPrograms([{ program: 'chromium', debian: 'chromium', homebrew: 'chromium' }]);
  return requireProgram('chromium');
}

/** Starts one stack and one browser for all files of the suite. */
export default async function startAll() {
  const screenshots = join(import.meta.dirname, 'screenshots');
  rmSync(screenshots, { recursive: true, force: true });
  mkdirSync(screenshots, { recursive: true });
  const chromium = findChromium();
  const stack = await startStack({
    env: { 'edge-gateway': { PLAN_DEADLINE_MS: '5000', AUTH_RATE_LIMIT_RPM: '100000' } },
  });
  globalThis.stackUnderTest = stack;
  process.env.SHARED_STACK_DATA_DIR = stack.dataDir;
  globalThis.browserUnderTest = await startBrowser(chromium);
  process.env.TEST_BROWSER_URL = globalThis.browserUnderTest.url;
}
