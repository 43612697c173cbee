import { startStack } from '../libs/testing/src/stack/start-stack.ts';

/** Further edges beside the ordinary one, for what it does not show (test/e2e/edges.fixture.ts). */
const edges = {
  'edge-gateway-2': { REQUEST_BODY_BYTES_MAX: '100000', UPSTREAM_TIMEOUT_MS: '1000' },
  'edge-gateway-3': { EGRESS_ALLOW: '' },
};

/** Starts one stack for all test files of a run; they find it by `sharedStack()`. */
export default async function startSharedStack() {
  const stack = await startStack({ replicas: { 'edge-gateway': 3 }, env: edges });
  globalThis.sharedStackUnderTest = stack;
  process.env.SHARED_STACK_DATA_DIR = stack.dataDir;
}
