import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startObserver } from '../libs/testing/src/canaries/observe-stack.ts';
import { findFreePort } from '../libs/testing/src/nats-server/start-nats-server.ts';
import { startStack } from '../libs/testing/src/stack/start-stack.ts';

/** What a provider answers is looked at as it answers it; that calls are made again is test/faults/provider-trouble.spec.ts. */
const untried = { UPSTREAM_RETRIES_MAX: '0' };

/** The ordinary edge, and further ones for what it does not show (test/e2e/edges.fixture.ts). */
const edges = (oidcIssuer) => ({
  // What is tested is what plans do, not how soon a machine with much else to do makes the first one.
  'edge-gateway': {
    PLAN_DEADLINE_MS: '6000',
    // Tests say where they call from, and sign many people up.
    TRUSTED_PROXIES: '127.0.0.0/8',
    AUTH_RATE_LIMIT_RPM: '100000',
    ...untried,
  },
  'edge-gateway-2': {
    REQUEST_BODY_BYTES_MAX: '100000',
    // Longer than a provider of a test stands still, in a process that does much else.
    UPSTREAM_TIMEOUT_MS: '5000',
    OIDC_ISSUER: oidcIssuer,
    OIDC_AUDIENCE: 'gateway-under-test',
    ...untried,
  },
  'edge-gateway-3': { EGRESS_ALLOW: '', TRUSTED_PROXIES: '127.0.0.0/8', AUTH_RATE_LIMIT_RPM: '5' },
});

/**
 * With COMPAT_TREE (`npm run test:compat`) a second replica of each service that answers others, as it was in the release
 * before.
 */
function chooseReplicas(tree) {
  if (!tree) return { replicas: { 'edge-gateway': 3 }, images: {} };
  const apart = ['edge-gateway', 'sandbox-provider', 'dashboard'];
  const apps = readdirSync(join(tree, 'dist/apps')).filter((app) => !apart.includes(app));
  const command = (app) => [process.execPath, '--enable-source-maps', `dist/apps/${app}/main.js`];
  return {
    replicas: { 'edge-gateway': 3, ...Object.fromEntries(apps.map((app) => [app, 2])) },
    images: Object.fromEntries(apps.map((app) => [`${app}-2`, { directory: tree, command: command(app) }])),
  };
}

/** Starts one stack for all test files of a run; they find it by `sharedStack()`. */
export default async function startSharedStack() {
  // What the whole run says is kept, and searched for its secrets in the end (test/e2e/canaries.spec.ts).
  const observer = process.env.TEST_SUITE === 'e2e' ? await startObserver() : undefined;
  globalThis.sharedStackObserver = observer;
  // Nobody listens there until a test does.
  const oidcIssuer = `http://127.0.0.1:${await findFreePort()}`;
  process.env.TEST_OIDC_ISSUER = oidcIssuer;
  const stack = await startStack({
    ...chooseReplicas(process.env.COMPAT_TREE),
    env: observer
      ? { ...edges(oidcIssuer), '*': { OTEL_EXPORTER_OTLP_ENDPOINT: observer.otlpUrl } }
      : edges(oidcIssuer),
    hasObserver: observer !== undefined,
  });
  globalThis.sharedStackUnderTest = stack;
  process.env.SHARED_STACK_DATA_DIR = stack.dataDir;
  await observer?.watch(stack);
}
