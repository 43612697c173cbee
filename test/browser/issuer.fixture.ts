import { startTokenIssuer, type TokenIssuer } from '@gateway/testing';
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface SignInIssuerOptions {
  readonly port: number;
  readonly clientId: string;
  /** The only address to which the issuer redirects a browser. */
  readonly redirectUri: string;
  readonly person: { readonly subject: string; readonly email: string };
  /** The error description that the issuer returns after a rejected sign-in. */
  readonly refusal: string;
}

/**
 * An OpenID Connect issuer with a sign-in page. The issuer supports the authorization code flow with PKCE,
 * for one public client and one user.
 */
export interface SignInIssuer extends Pick<TokenIssuer, 'issuer' | 'close'> {
  /** The type of each grant that the issuer accepted, or the reason why the issuer rejected a grant. */
  readonly grants: readonly string[];
  /** Sets the lifetime of the access tokens that the issuer issues from now on. */
  setLife(seconds: number): void;
}

export async function startSignInIssuer(options: SignInIssuerOptions): Promise<SignInIssuer> {
  const desk = new IssuerEndpoints(options);
  const tokens = await startTokenIssuer({
    port: options.port,
    describe: (issuer) => ({
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      code_challenge_methods_supported: ['S256'],
    }),
    answer: (request, response) => desk.answer(request, response),
  });
  desk.open(tokens);
  return {
    issuer: tokens.issuer,
    grants: desk.grants,
    setLife: (seconds) => desk.setLife(seconds),
    close: () => tokens.close(),
  };
}

class IssuerEndpoints {
  readonly grants: string[] = [];
  readonly #options: SignInIssuerOptions;
  /** Incomplete sign-ins, by authorization code. */
  readonly #begun = new Map<string, URLSearchParams>();
  #refreshToken: { readonly value: string; readonly audience: string } | null = null;
  #lifeSeconds = 600;
  #tokens: TokenIssuer | undefined;

  constructor(options: SignInIssuerOptions) {
    this.#options = options;
  }

  open(tokens: TokenIssuer): void {
    this.#tokens = tokens;
  }

  setLife(seconds: number): void {
    this.#lifeSeconds = seconds;
  }

  /** Serves the authorization endpoint and the token endpoint. Returns false if the request is for another path. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://issuer');
    if (pathname === '/authorize') this.#authorize(request, response, searchParams);
    else if (pathname === '/token') void this.#grant(request, response);
    else return false;
    return true;
  }

  #authorize({ headers }: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    const { clientId, redirectUri, refusal } = this.#options;
    const isRight =
      query.get('client_id') === clientId &&
      query.get('redirect_uri') === redirectUri &&
      query.get('response_type') === 'code' &&
      query.get('code_challenge_method') === 'S256';
    if (!isRight) {
      response.writeHead(400).end('not a valid request of this client');
      return;
    }
    const state = query.get('state') ?? '';
    if (query.get('agreed') === 'yes' || headers.cookie?.includes('known=yes') === true) {
      const code = randomUUID();
      this.#begun.set(code, query);
      const location = `${redirectUri}?${new URLSearchParams({ code, state }).toString()}`;
      // If the browser sends the issuer's cookie, the issuer skips the sign-in page and redirects immediately.
      response.writeHead(302, { location, 'set-cookie': 'known=yes; Path=/authorize' }).end();
      return;
    }
    const refused = new URLSearchParams({ error: 'access_denied', error_description: refusal, state });
    const agreed = new URLSearchParams([...query, ['agreed', 'yes']]);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(renderPage(`/authorize?${agreed.toString()}`, `${redirectUri}?${refused.toString()}`));
  }

  async #grant(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const grant = this.#choose(form);
    this.grants.push(typeof grant === 'string' ? grant : (form.get('grant_type') ?? ''));
    const { body, status } =
      typeof grant === 'string'
        ? { status: 400, body: { error: 'invalid_grant', error_description: grant } }
        : { status: 200, body: await this.#issue(grant) };
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(body));
  }

  /**
   * Returns the valid grant, or the reason for the rejection. Each code and each refresh token is valid only
   * once.
   */
  #choose(form: URLSearchParams): { audience: string; nonce?: string } | string {
    if (form.get('client_id') !== this.#options.clientId) return 'another client';
    if (form.get('grant_type') === 'refresh_token') {
      const known = this.#refreshToken;
      this.#refreshToken = null;
      return known !== null && known.value === form.get('refresh_token') ? known : 'another refresh token';
    }
    const code = form.get('code') ?? '';
    const begun = this.#begun.get(code);
    this.#begun.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (begun?.get('code_challenge') !== challenge) return 'another code or verifier';
    if (form.get('redirect_uri') !== this.#options.redirectUri) return 'another address';
    return { audience: begun.get('audience') ?? '', nonce: begun.get('nonce') ?? '' };
  }

  async #issue({ audience, nonce }: { audience: string; nonce?: string }): Promise<object> {
    const { clientId, person } = this.#options;
    const tokens = this.#tokens!;
    this.#refreshToken = { value: randomUUID(), audience };
    const claims = { email: person.email, ...(nonce === undefined ? {} : { nonce }) };
    return {
      access_token: await tokens.issue(person.subject, audience, { claims: { jti: randomUUID() } }),
      id_token: await tokens.issue(person.subject, clientId, { claims }),
      refresh_token: this.#refreshToken.value,
      token_type: 'Bearer',
      expires_in: this.#lifeSeconds,
    };
  }
}

function renderPage(agreed: string, refused: string): string {
  const escape = (address: string) => address.replaceAll('&', '&amp;');
  return `<!doctype html><html lang="en"><title>Issuer</title><link rel="icon" href="data:,"><h1>The issuer’s page</h1>
<p><a href="${escape(agreed)}">Sign in</a> <a href="${escape(refused)}">Refuse</a></p></html>`;
}
