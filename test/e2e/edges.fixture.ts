import type { StackUnderTest } from '@gateway/testing';

/**
 * The names of additional edges in the shared stack. The file test/shared-stack.setup.mjs configures the
 * additional edges. The limits of the edge `tight` are low enough for a test to reach. The names `tight` and
 * `oidc` refer to the same edge, which accepts session tokens from a test issuer. The edge `closed` may call
 * only the public internet, accepts few calls to `/v1/auth`, and has the default limits for account routes.
 * In the suite `agents`, the second edge is the edge `retrying`, which retries failed provider calls.
 */
const edges = {
  tight: 'edge-gateway-2',
  oidc: 'edge-gateway-2',
  closed: 'edge-gateway-3',
  retrying: 'edge-gateway-2',
} as const;

export const tightLimits = { requestBodyBytesMax: 100_000 } as const;

export function edgeUrl(stack: StackUnderTest, edge: keyof typeof edges): string {
  const started = stack
    .logs(edges[edge])
    .split('\n')
    .findLast((line) => line.includes('edge-gateway is started'));
  const { port } = JSON.parse(started ?? '{}') as { port?: number };
  if (port === undefined) throw new Error(`the ${edge} edge has not started`);
  return `http://127.0.0.1:${port}`;
}
