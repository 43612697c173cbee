import { networkInterfaces } from 'node:os';
import type { OwnEndpoints } from '@gateway/providers';

/** Adds the addresses of this machine's network interfaces. No provider may have one of the gateway's own. */
export function listOwnEndpoints(configured: Pick<OwnEndpoints, 'origins' | 'ports'>): OwnEndpoints {
  const interfaces = Object.values(networkInterfaces());
  return {
    ...configured,
    addresses: interfaces.flatMap((each) => each?.map(({ address }) => address) ?? []),
  };
}
