import * as oauth from 'oauth4webapi';
import { ApiError } from '../api/api-error.ts';
import type { Identity, Tokens } from './login-session.ts';
import { forgetMark, isMarked, setMark } from './login-session.ts';
import type { SignInSettings } from './sign-in-settings.ts';

type OidcSettings = Extract<SignInSettings, { kind: 'oidc' }>;

interface Begun {
  readonly codeVerifier: string;
  readonly state: string;
  readonly nonce: string;
  readonly next: string;
}

/** What has to survive the way to the issuer and back, in this tab alone. No token is ever in it. */
const begunKey = 'svc-sign-in';
/** For issuers that do not say how long their tokens are good. */
const defaultLifeMs = 300_000;

const onLoopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/;

/** HTTPS, but for an issuer on loopback: browsers take that for secure as it is, since nobody stands on the way. */
function chooseTransport(issuer: string) {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so to stand out; it is for loopback alone
  return { [oauth.allowInsecureRequests]: onLoopback.test(issuer) };
}

let server: Promise<oauth.AuthorizationServer> | undefined;
/** In memory: a reload goes by way of the issuer, which knows the browser by its own cookie. */
let refreshToken: string | undefined;

/** Authorization code with PKCE (RFC 9700 §2.1.1), as a public client. */
export class OidcIdentity implements Identity {
  readonly #settings: OidcSettings;
  readonly #client: oauth.Client;
  readonly #options: ReturnType<typeof chooseTransport>;

  constructor(settings: OidcSettings) {
    this.#settings = settings;
    this.#options = chooseTransport(settings.issuer);
    this.#client = { client_id: settings.client_id ?? '' };
  }

  mayHaveSession(): boolean {
    return refreshToken !== undefined && isMarked();
  }

  async begin(next: string): Promise<void> {
    const endpoint = (await this.#server()).authorization_endpoint;
    if (endpoint === undefined) throw new Error('The issuer has no page to sign in at.');
    const begun: Begun = {
      codeVerifier: oauth.generateRandomCodeVerifier(),
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      next,
    };
    sessionStorage.setItem(begunKey, JSON.stringify(begun));
    const address = new URL(endpoint);
    const query = await this.#renderQuery(begun);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    window.location.assign(address);
  }

  async complete(address: URL): Promise<{ tokens: Tokens; next: string }> {
    const begun = takeBegun();
    try {
      const tokens = await this.#redeem(address, begun);
      setMark();
      return { tokens, next: begun.next };
    } catch (error) {
      throw explain(error);
    }
  }

  async #redeem(address: URL, begun: Begun): Promise<Tokens> {
    const server = await this.#server();
    const params = oauth.validateAuthResponse(server, this.#client, address, begun.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      this.#client,
      oauth.None(),
      params,
      redirectUri(),
      begun.codeVerifier,
      this.#options,
    );
    const answer = await oauth.processAuthorizationCodeResponse(server, this.#client, response, {
      expectedNonce: begun.nonce,
      requireIdToken: true,
    });
    return this.#parse(answer);
  }

  async renew(): Promise<Tokens | null> {
    if (refreshToken === undefined) return null;
    const server = await this.#server();
    const response = await oauth.refreshTokenGrantRequest(
      server,
      this.#client,
      oauth.None(),
      refreshToken,
      this.#options,
    );
    try {
      return this.#parse(await oauth.processRefreshTokenResponse(server, this.#client, response));
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError) return null;
      throw error;
    }
  }

  end(): Promise<void> {
    refreshToken = undefined;
    forgetMark();
    return Promise.resolve();
  }

  async #server(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.#settings.issuer);
    server ??= oauth
      .discoveryRequest(issuer, this.#options)
      .then((response) => oauth.processDiscoveryResponse(issuer, response))
      .catch((error: unknown) => {
        // An issuer that was away may be back when it is asked again.
        server = undefined;
        throw error;
      });
    return server;
  }

  async #renderQuery({ codeVerifier, state, nonce }: Begun): Promise<Record<string, string>> {
    const { audience, scope } = this.#settings;
    return {
      client_id: this.#client.client_id,
      response_type: 'code',
      redirect_uri: redirectUri(),
      scope,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(this.#takesIdToken() ? {} : { audience }),
    };
  }

  /** An audience that is the client itself is that of ID tokens; any other, of access tokens made for the gateway. */
  #takesIdToken(): boolean {
    return this.#settings.audience === this.#settings.client_id;
  }

  #parse(answer: oauth.TokenEndpointResponse): Tokens {
    refreshToken = answer.refresh_token ?? refreshToken;
    const email = oauth.getValidatedIdTokenClaims(answer)?.['email'];
    return {
      accessToken: this.#takesIdToken() ? (answer.id_token ?? '') : answer.access_token,
      expiresInMs: answer.expires_in === undefined ? defaultLifeMs : answer.expires_in * 1000,
      email: typeof email === 'string' ? email : null,
    };
  }
}

/** What an issuer says of a refusal, where it says something. */
function explain(error: unknown): unknown {
  const isRefusal =
    error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError;
  if (!isRefusal) return error;
  const message = error.error_description ?? 'The issuer did not let you in. Begin again.';
  return new ApiError({ status: 0, code: error.error, message });
}

function redirectUri(): string {
  return new URL(`${import.meta.env.BASE_URL}sign-in/callback`, window.location.origin).href;
}

/** Once: an answer that comes a second time is not one that was asked for. */
function takeBegun(): Begun {
  const stored = sessionStorage.getItem(begunKey);
  sessionStorage.removeItem(begunKey);
  if (stored === null) throw new Error('This sign-in was not begun here. Begin again.');
  return JSON.parse(stored) as Begun;
}
