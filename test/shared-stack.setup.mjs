import { startStack } from '../libs/testing/src/stack/start-stack.ts';

/** The ordinary edge, and further ones for what it does not show (test/e2e/edges.fixture.ts). */
const edges = {
  // What is tested is what plans do, not how soon a machine with much else to do makes the first one.
  'edge-gateway': { PLAN_DEADLINE_MS: '3000' },
  'edge-gateway-2': { REQUEST_BODY_BYTES_MAX: '100000', UPSTREAM_TIMEOUT_MS: '1000' },
  'edge-gateway-3': { EGRESS_ALLOW: '' },
};

/** Starts one stack for all test files of a run; they find it by `sharedStack()`. */
export default async function startSharedStack() {
  const stack = await startStack({ replicas: { 'edge-gateway': 3 }, env: edges });
  globalThis.sharedStackUnderTest = stack;
  process.env.SHARED_STACK_DATA_DIR = stack.dataDir;
}
