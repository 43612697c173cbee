import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startObserver } from '../libs/testing/src/canaries/observe-stack.ts';
import { findFreePort } from '../libs/testing/src/nats-server/start-nats-server.ts';
import { startStack } from '../libs/testing/src/stack/start-stack.ts';
import { testIdentity } from '../apps/edge-gateway/src/http/tls-identity.fixture.ts';

/**
 * Retries are off, because the tests examine each single provider response.
 * test/faults/provider-trouble.spec.ts tests retries.
 */
const untried = { UPSTREAM_RETRIES_MAX: '0' };
/** The default limits on account routes. `startStack` raises the default limits. */
const accountLimits = {
  ACCOUNT_READ_RPM: '600',
  ACCOUNT_ANALYTICS_RPM: '120',
  ACCOUNT_WRITE_RPM: '120',
  ACCOUNT_EXPORT_RPM: '10',
};

/**
 * Directs the addresses of Amazon Bedrock to the port of a test's TLS server (test/e2e/aws-service.fixture.ts).
 * No server listens on this port until a test starts one.
 */
function redirectAws(port) {
  const certificate = join(tmpdir(), 'agent-gateway-test-certificate.pem');
  writeFileSync(certificate, testIdentity.cert);
  const preload = pathToFileURL(join(import.meta.dirname, 'e2e/aws-names.mjs')).href;
  return {
    NODE_OPTIONS: `--import ${preload}`,
    TEST_AWS_PORT: String(port),
    TEST_AWS_CERTIFICATE: certificate,
  };
}

/** The default edge, and additional edges with other settings (test/e2e/edges.fixture.ts). */
const edges = (oidcIssuer, awsPort) => ({
  // The plan deadline is long, because the first plan can be slow on a busy machine.
  'edge-gateway': {
    PLAN_DEADLINE_MS: '6000',
    // These settings let tests choose their client addresses and sign up many users.
    TRUSTED_PROXIES: '127.0.0.0/8',
    AUTH_RATE_LIMIT_RPM: '100000',
    ...untried,
  },
  'edge-gateway-2': {
    REQUEST_BODY_BYTES_MAX: '100000',
    // A busy test process can delay the responses of its provider, so the timeout must be longer than such delays.
    UPSTREAM_TIMEOUT_MS: '5000',
    OIDC_ISSUER: oidcIssuer,
    OIDC_AUDIENCE: 'gateway-under-test',
    ...redirectAws(awsPort),
    ...untried,
  },
  'edge-gateway-3': {
    EGRESS_ALLOW: '',
    TRUSTED_PROXIES: '127.0.0.0/8',
    AUTH_RATE_LIMIT_RPM: '5',
    ...accountLimits,
  },
});

/**
 * The agents' tests compare costs, so they need semantic rankings even on a busy machine. The keyword method,
 * which replaces a late semantic ranking, chooses other tools. The second edge retries failed provider calls as
 * often as a gateway with default settings.
 */
const agentSettings = {
  'tool-router': { ROUTER_SEMANTIC_BUDGET_MS: '3000' },
  'edge-gateway-2': { PLAN_DEADLINE_MS: '6000', UPSTREAM_RETRIES_MAX: '2' },
};

/**
 * With COMPAT_TREE (`npm run test:compat`), every service that answers calls has a second replica from the
 * previous release.
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

/** Starts one stack for all test files in a run. Tests find the stack with `sharedStack()`. */
export default async function startSharedStack() {
  // Stores all output of the test run. At the end, test/e2e/canaries.spec.ts searches the output for secrets.
  const observer = process.env.TEST_SUITE === 'e2e' ? await startObserver() : undefined;
  globalThis.sharedStackObserver = observer;
  // An address at which no server listens until a test starts a server.
  const oidcIssuer = `http://127.0.0.1:${await findFreePort()}`;
  process.env.TEST_OIDC_ISSUER = oidcIssuer;
  const awsPort = await findFreePort();
  process.env.TEST_AWS_PORT = String(awsPort);
  const stack = await startStack({
    ...chooseReplicas(process.env.COMPAT_TREE),
    env: {
      ...edges(oidcIssuer, awsPort),
      ...(process.env.TEST_SUITE === 'agents' ? agentSettings : {}),
      ...(observer ? { '*': { OTEL_EXPORTER_OTLP_ENDPOINT: observer.otlpUrl } } : {}),
    },
    hasObserver: observer !== undefined,
  });
  globalThis.sharedStackUnderTest = stack;
  process.env.SHARED_STACK_DATA_DIR = stack.dataDir;
  await observer?.watch(stack);
}
