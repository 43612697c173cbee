import { useSyncExternalStore } from 'react';
import type { LoginSessionState, Tokens } from './login-session.ts';
import { LoginSession } from './login-session.ts';
import { forgetPlaygroundKeys } from '../api/playground.ts';
import { queryClient, setTokenSource } from '../api/client.ts';
import { dismissNotices } from '../lib/notices.ts';
import type { Credentials } from './embedded-identity.ts';
import { EmbeddedIdentity } from './embedded-identity.ts';
import type { OidcIdentity } from './oidc-identity.ts';
import type { SignInSettings } from './sign-in-settings.ts';
import { readSignInSettings } from './sign-in-settings.ts';

// The open page contains data and drafts of the person who opened it. Another person starts with a fresh page.
const loginSession = new LoginSession(() => window.location.reload());
setTokenSource(loginSession);

/** The state of the login session. The component renders again when it changes. */
export function useLoginSession(): LoginSessionState {
  return useSyncExternalStore(loginSession.subscribe, loginSession.state);
}

const embedded = new EmbeddedIdentity();

/** Loaded where an issuer is configured, and only there. */
async function openOidc(settings: Extract<SignInSettings, { kind: 'oidc' }>): Promise<OidcIdentity> {
  const { OidcIdentity: Oidc } = await import('./oidc-identity.ts');
  return new Oidc(settings);
}

/** Called once, when the page starts. */
export async function restoreLoginSession(): Promise<void> {
  const settings = await readSignInSettings().catch(() => null);
  if (settings?.kind === 'oidc') await loginSession.restore(await openOidc(settings));
  else await loginSession.restore(embedded);
}

/** Lets go of what was asked for, and made, in the name of who was signed in. */
function forgetPerson(): void {
  queryClient.clear();
  forgetPlaygroundKeys();
  dismissNotices();
}

/** Makes the account of somebody who may be new, or finds it. What fails here is done when the account is first asked for. */
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

/** Leads to the issuer's own page. `next` is the address below `/dashboard` to come back to. */
export async function goToIssuer(next: string): Promise<void> {
  const settings = await readSignInSettings();
  if (settings.kind === 'oidc') await (await openOidc(settings)).begin(next);
}

/** Takes what the issuer sent back with the browser. Answers where to go now. */
export async function comeBackFromIssuer(address: URL): Promise<string> {
  const settings = await readSignInSettings();
  if (settings.kind !== 'oidc') return '/welcome';
  const { tokens, next } = await (await openOidc(settings)).complete(address);
  await registerAccount(tokens);
  forgetPerson();
  loginSession.begin(tokens);
  return next;
}

export async function logOut(): Promise<void> {
  const ended = loginSession.end();
  // At once: whoever signs in next may be typing by the time the gateway has answered.
  forgetPerson();
  await ended;
}
