import { parseServiceAccount, signServiceToken } from './credentials/service-account.ts';
import { parseHostedCredential } from './credentials/hosted-credential.ts';
import { signRequest } from './credentials/sign-aws-request.ts';
import type { UpstreamCall, UpstreamRequest } from './upstream-request.ts';

export interface UpstreamBody {
  readonly method: 'GET' | 'POST';
  /** The exact bytes of the request body, which are read only if the provider requires a signature. */
  readonly body: Uint8Array;
}

/**
 * Signs the request if the provider requires signed requests, and otherwise returns the request unchanged.
 * The signature covers the body and the time, so every attempt must be signed separately.
 * @throws GatewayError for the same reasons as `parseHostedCredential`
 */
export async function signUpstreamRequest(
  { provider, credential }: Pick<UpstreamCall, 'provider' | 'credential'>,
  request: UpstreamRequest,
  sent: UpstreamBody,
  signedAt: Date = new Date(),
): Promise<UpstreamRequest> {
  if (credential === null) return request;
  if (provider.auth.kind === 'google')
    return signForGoogle(provider.auth.audience, credential, request, signedAt);
  if (provider.auth.kind !== 'aws') return request;
  const parsed = parseHostedCredential(credential);
  if (parsed.kind === 'bearer') return request;
  const { accessKey, region } = parsed;
  const { url } = request;
  const contentType = request.headers['content-type'];
  const { method, body } = sent;
  const proofs = await signRequest({
    method,
    url,
    ...(contentType === undefined ? {} : { contentType }),
    body,
    accessKey,
    region,
    service: provider.auth.service,
    signedAt,
  });
  return { url, headers: { ...request.headers, ...proofs } };
}

async function signForGoogle(
  audience: string,
  credential: string,
  request: UpstreamRequest,
  signedAt: Date,
): Promise<UpstreamRequest> {
  const account = parseServiceAccount(credential);
  if (account === undefined) return request;
  const token = await signServiceToken(account, audience, signedAt);
  return { url: request.url, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}
