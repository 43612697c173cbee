import { useSyncExternalStore } from 'react';
import { LoginSession, type LoginSessionState, type Tokens } from './login-session.ts';
import { forgetPlaygroundKeys } from '../api/playground.ts';
import { queryClient, setTokenSource } from '../api/client.ts';
import { dismissNotices } from '../lib/notices.ts';
import { EmbeddedIdentity, type Credentials } from './embedded-identity.ts';
import type { OidcIdentity } from './oidc-identity.ts';
import { readSignInSettings, type SignInSettings } from './sign-in-settings.ts';

// The page contains data and drafts of one person. If another person signs in, the browser reloads the page.
const loginSession = new LoginSession(() => window.location.reload());
setTokenSource(loginSession);

/** The state of the login session. A component that uses this state renders again when the state changes. */
export function useLoginSession(): LoginSessionState {
  return useSyncExternalStore(loginSession.subscribe, loginSession.state);
}

const embedded = new EmbeddedIdentity();

/** Loads the OpenID Connect code only if an issuer is configured. */
async function openOidc(settings: Extract<SignInSettings, { kind: 'oidc' }>): Promise<OidcIdentity> {
  const { OidcIdentity: Oidc } = await import('./oidc-identity.ts');
  return new Oidc(settings);
}

/**
 * Restores the login session of an earlier visit. Callers must call this function once, when the page starts.
 */
export async function restoreLoginSession(): Promise<void> {
  const settings = await readSignInSettings().catch(() => null);
  if (settings?.kind === 'oidc') await loginSession.restore(await openOidc(settings));
  else await loginSession.restore(embedded);
}

/** Removes the data, API keys and notifications of the previous person. */
function forgetPerson(): void {
  queryClient.clear();
  forgetPlaygroundKeys();
  dismissNotices();
}

/** Creates the account of a new person. If this call fails, the account is created when it is first read. */
async function registerAccount({ accessToken }: Tokens): Promise<void> {
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
  await fetch('/v1/account/register', { method: 'POST', headers, body: '{}' }).catch(() => undefined);
}

export async function logIn(credentials: Credentials): Promise<void> {
  const tokens = await embedded.logIn(credentials);
  forgetPerson();
  loginSession.begin(tokens);
}

export async function signUp(credentials: Credentials): Promise<void> {
  const tokens = await embedded.signUp(credentials);
  await registerAccount(tokens);
  forgetPerson();
  loginSession.begin(tokens);
}

/** Opens the issuer's sign-in page. After the sign-in, the browser opens the path `next` below `/dashboard`. */
export async function goToIssuer(next: string): Promise<void> {
  const settings = await readSignInSettings();
  if (settings.kind === 'oidc') await (await openOidc(settings)).begin(next);
}

/**
 * Completes the sign-in after the issuer has redirected the browser back. Returns the path of the page to open
 * next.
 */
export async function comeBackFromIssuer(address: URL): Promise<string> {
  const settings = await readSignInSettings();
  if (settings.kind !== 'oidc') return '/';
  const { tokens, next } = await (await openOidc(settings)).complete(address);
  await registerAccount(tokens);
  forgetPerson();
  loginSession.begin(tokens);
  return next;
}

export async function logOut(): Promise<void> {
  const ended = loginSession.end();
  // The sign-out does not wait for the gateway, because another person may already be typing.
  forgetPerson();
  await ended;
}
