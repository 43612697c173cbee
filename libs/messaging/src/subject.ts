import type { RpcContract } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';

/** One token of a subject: without dots and wildcards, so that an id never widens what is asked or heard. */
const instanceIdPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** The subject of a contract, or of one instance of its server. Throws `service_unavailable` for an id that is none. */
export function subjectOf(contract: RpcContract, instanceId: string | undefined): string {
  if (!contract.perInstance) return contract.subject;
  if (instanceId === undefined || !instanceIdPattern.test(instanceId)) {
    throw new GatewayError('service_unavailable', { detail: `${contract.subject}: not an instance id` });
  }
  return `${contract.subject}.${instanceId}`;
}
