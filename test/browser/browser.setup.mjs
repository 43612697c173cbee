import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../libs/testing/src/nats-server/start-nats-server.ts';
import { startStack } from '../../libs/testing/src/stack/start-stack.ts';
import { installPrograms } from '../../tools/bootstrap/setup/servers.ts';
import { requireProgram } from '../../tools/bootstrap/stack/programs.ts';
import { startBrowser } from './start-browser.ts';

/**
 * Finds the system's Chromium. If Chromium is missing, installs it in the same way as the test stack installs
 * Redis and NATS.
 */
function findChromium() {
  installPrograms([{ program: 'chromium', debian: 'chromium', homebrew: 'chromium' }]);
  return requireProgram('chromium');
}

/** Starts one stack and one browser for all test files in the suite. */
export default async function startAll() {
  const screenshots = join(import.meta.dirname, 'screenshots');
  rmSync(screenshots, { recursive: true, force: true });
  mkdirSync(screenshots, { recursive: true });
  const chromium = findChromium();
  // The address of the OpenID Connect issuer that one of the tests starts.
  const issuer = `http://127.0.0.1:${await findFreePort()}`;
  process.env.TEST_OIDC_ISSUER = issuer;
  const stack = await startStack({
    // The second edge signs users in through the OpenID Connect issuer.
    replicas: { 'edge-gateway': 2 },
    env: {
      'edge-gateway': { PLAN_DEADLINE_MS: '5000', AUTH_RATE_LIMIT_RPM: '100000' },
      'edge-gateway-2': {
        OIDC_ISSUER: issuer,
        OIDC_AUDIENCE: 'gateway-under-test',
        OIDC_CLIENT_ID: 'dashboard',
      },
    },
  });
  globalThis.stackUnderTest = stack;
  process.env.SHARED_STACK_DATA_DIR = stack.dataDir;
  globalThis.browserUnderTest = await startBrowser(chromium);
  process.env.TEST_BROWSER_URL = globalThis.browserUnderTest.url;
}
