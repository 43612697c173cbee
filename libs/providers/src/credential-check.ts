import { parseHostedCredential } from './credentials/hosted-credential.ts';
import { formatsOf, type Provider } from './provider/provider.ts';
import type { CredentialCheck, IncomingHeaders } from './provider/http.ts';
import { signUpstreamRequest } from './sign-upstream-request.ts';
import {
  deploymentPath,
  renderUpstreamRequest,
  type UpstreamCall,
  type UpstreamRequest,
} from './upstream-request.ts';

/** The connection with the credential to check. If the credential is null, the call contains no credential. */
export type CheckedConnection = Pick<UpstreamCall, 'provider' | 'credential'> & {
  readonly baseUrl: string | null;
};

/** Whether a provider accepts a credential. With `unknown`, the response proves nothing about the credential. */
export type CredentialVerdict = 'accepted' | 'refused' | 'unknown';

const listOfModels: CredentialCheck = { path: '/models' };
const refusedStatuses: readonly number[] = [401, 403];
const noBody = new Uint8Array();

/**
 * Renders the free GET request that shows whether a credential works. The request goes to the address of the
 * connection. Returns undefined for a provider without chat, because no free request to it is known.
 * @throws GatewayError for the same reasons as `renderUpstreamRequest`
 */
export async function renderCredentialCheck(
  { provider, credential, baseUrl }: CheckedConnection,
  signedAt?: Date,
): Promise<UpstreamRequest | undefined> {
  const [format] = formatsOf(provider);
  const { credentialCheck: check = listOfModels } = provider;
  if (format === undefined) return undefined;
  const request = renderUpstreamRequest({
    ...{ provider, format, credential, model: '', stream: false, path: check.path },
    // On Azure, all deployments of a resource share one list of models.
    baseUrl: baseUrl?.replace(deploymentPath, '') ?? null,
  });
  return signUpstreamRequest({ provider, credential }, request, { method: 'GET', body: noBody }, signedAt);
}

/**
 * Whether servers in the provider's format may list models without a credential. A successful response then
 * proves that a credential is valid only if the same request without a credential fails.
 */
export function mayListPublicly({ chatPaths }: Provider): boolean {
  return chatPaths['chat-completions'] !== undefined;
}

/** Reads the verdict on the credential from the response to `renderCredentialCheck`. */
export function judgeCredential(
  { provider, credential }: Pick<CheckedConnection, 'provider' | 'credential'>,
  { status, headers }: { readonly status: number; readonly headers: IncomingHeaders },
): CredentialVerdict {
  if (status >= 200 && status < 300) return 'accepted';
  const refused = provider.credentialCheck?.refusedStatuses ?? refusedStatuses;
  if (!refused.includes(status)) return 'unknown';
  return isAuthenticated(provider, credential, headers) ? 'accepted' : 'refused';
}

/**
 * Whether AWS accepted the signature although the access key has no permission for the check. The access key
 * may still be allowed to call models. For API keys, AWS uses the same error type for unknown keys.
 */
function isAuthenticated({ auth }: Provider, credential: string | null, headers: IncomingHeaders): boolean {
  if (auth.kind !== 'aws' || credential === null) return false;
  const isDenied = String(headers['x-amzn-errortype']).startsWith('AccessDeniedException');
  return isDenied && parseHostedCredential(credential).kind === 'access-key';
}
