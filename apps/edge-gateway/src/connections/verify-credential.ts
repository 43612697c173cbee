import type { CredentialCheckResult } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import {
  judgeCredential,
  mayListPublicly,
  renderCredentialCheck,
  type CheckedConnection,
} from '@gateway/providers';
import { failureOfStatus } from '../backends/failure.ts';
import { passOver } from '../upstream/answer-body.ts';
import type { Upstream, UpstreamReply } from '../upstream/upstream.port.ts';

/** Maximum time for all calls of one check, in milliseconds. */
export const checkMsMax = 3_000;
const unproven: CredentialCheckResult = { outcome: 'unknown', status: null };

/**
 * Checks a credential with a free call to the provider, before the credential is stored. The promise never
 * rejects and takes at most `checkMsMax`, so an unavailable provider does not prevent saving the credential.
 * The egress rules of all provider calls apply.
 * @param loopHeader the `CDN-Loop` header of the client's request
 */
export async function verifyCredential(
  connection: CheckedConnection,
  upstream: Pick<Upstream, 'send'>,
  loopHeader?: string | string[],
): Promise<CredentialCheckResult> {
  const signal = AbortSignal.timeout(checkMsMax);
  const send = (checked: CheckedConnection) => sendCheck(checked, upstream, { signal, loopHeader });
  try {
    const reply = await send(connection);
    if (reply === undefined) return unproven;
    const { status } = reply;
    const verdict = judgeCredential(connection, reply);
    if (verdict === 'refused') return { outcome: 'refused', status };
    if (verdict === 'unknown') return { outcome: failureOfStatus(status, {}) ? 'failed' : 'unknown', status };
    return { outcome: (await isPublic(connection, send)) ? 'unknown' : 'accepted', status };
  } catch (error) {
    return { outcome: signal.aborted ? 'timeout' : classify(error), status: null };
  }
}

/** Checks all keys of a credential. Returns the outcome of the main key, and the first rejected additional key. */
export async function verifyKeys(
  connection: CheckedConnection,
  additionalKeys: readonly string[],
  ...context: [upstream: Pick<Upstream, 'send'>, loopHeader?: string | string[]]
): Promise<CredentialCheckResult> {
  const connections = [connection, ...additionalKeys.map((credential) => ({ ...connection, credential }))];
  const [main = unproven, ...others] = await Promise.all(
    connections.map((each) => verifyCredential(each, ...context)),
  );
  const at = others.findIndex(({ outcome }) => outcome === 'refused');
  const status = others[at]?.status;
  return status == null ? main : { ...main, refusedKey: { key: at + 1, status } };
}

type SendCheck = (checked: CheckedConnection) => Promise<UpstreamReply | undefined>;

/**
 * Whether the provider also responds to the check without the credential. If so, a successful check does not
 * prove that the credential is valid.
 */
async function isPublic(connection: CheckedConnection, send: SendCheck): Promise<boolean> {
  if (connection.credential === null || !mayListPublicly(connection.provider)) return false;
  const reply = await send({ ...connection, credential: null });
  return reply !== undefined && reply.status < 300;
}

async function sendCheck(
  connection: CheckedConnection,
  upstream: Pick<Upstream, 'send'>,
  {
    signal,
    loopHeader,
  }: { readonly signal: AbortSignal; readonly loopHeader?: string | string[] | undefined },
): Promise<UpstreamReply | undefined> {
  const request = await renderCredentialCheck(connection);
  if (request === undefined) return undefined;
  const reply = await upstream.send({ ...request, method: 'GET', body: null, signal, loopHeader });
  passOver(reply.body);
  return reply;
}

function classify(error: unknown): CredentialCheckResult['outcome'] {
  const code = error instanceof GatewayError ? error.code : undefined;
  if (code === 'egress_denied') return 'forbidden';
  return code === 'upstream_timeout' ? 'timeout' : 'unreachable';
}
