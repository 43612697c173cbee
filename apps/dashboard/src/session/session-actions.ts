import { forgetPlaygroundKeys } from '../api/playground.ts';
import { queryClient } from '../api/query-client.ts';
import { dismissNotices } from '../components/notify.ts';
import { EmbeddedIdentity, type Credentials } from './embedded-identity.ts';
import type { Tokens } from './identity.ts';
import type { OidcIdentity } from './oidc-identity.ts';
import { session } from './session.ts';
import { readSignInSettings, type SignInSettings } from './settings.ts';

const embedded = new EmbeddedIdentity();

/** Loaded where an issuer is configured, and only there. */
async function openOidc(settings: Extract<SignInSettings, { kind: 'oidc' }>): Promise<OidcIdentity> {
  const { OidcIdentity: Oidc } = await import('./oidc-identity.ts');
  return new Oidc(settings);
}

/** Called once, when the page starts. */
export async function restoreSession(): Promise<void> {
  const settings = await readSignInSettings().catch(() => null);
  if (settings?.kind === 'oidc') await session.restore(await openOidc(settings));
  else await session.restore(embedded);
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
  session.begin(tokens);
}

export async function signUp(credentials: Credentials): Promise<void> {
  const tokens = await embedded.signUp(credentials);
  await registerAccount(tokens);
  forgetPerson();
  session.begin(tokens);
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
  session.begin(tokens);
  return next;
}

export async function logOut(): Promise<void> {
  const ended = session.end();
  // At once: whoever signs in next may be typing by the time the gateway has answered.
  forgetPerson();
  await ended;
}
