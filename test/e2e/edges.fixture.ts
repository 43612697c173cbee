import type { StackUnderTest } from '@gateway/testing';

/**
 * The further edges of the shared stack, as test/shared-stack.setup.mjs sets them: `tight` has limits that a test can
 * reach, and as `oidc` takes the session tokens of an issuer of the tests' own; `closed` may call nothing but the public
 * internet, and takes few calls of `/v1/auth`.
 */
const edges = { tight: 'edge-gateway-2', oidc: 'edge-gateway-2', closed: 'edge-gateway-3' } as const;

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
