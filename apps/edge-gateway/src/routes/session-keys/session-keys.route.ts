import type { LoginSessionKey } from '@gateway/contracts';
import { Controller, Get, Header, Inject } from '@nestjs/common';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { IdentityClient } from '../../login-sessions/identity-client.ts';
import { tokens } from '../../tokens.ts';
import { readSessionKeys } from './session-keys.operations.ts';

/** How long an answer may be given again, to callers whom nobody counts. */
const keptMs = 10_000;

/** `/.well-known/jwks.json`: what verifies the embedded identity's session tokens. */
@Controller('/.well-known/jwks.json')
@AllowAccess('public')
export class SessionKeysRoute {
  readonly #identity: IdentityClient;
  #answer: Promise<{ keys: LoginSessionKey[] }> | undefined;
  #askedAt = -Infinity;

  constructor(@Inject(tokens.identity) identity: IdentityClient) {
    this.#identity = identity;
  }

  @Get()
  @Header('cache-control', 'public, max-age=300')
  @Describe(readSessionKeys)
  async read(): Promise<{ keys: LoginSessionKey[] }> {
    if (this.#answer && performance.now() - this.#askedAt < keptMs) return this.#answer;
    this.#askedAt = performance.now();
    this.#answer = this.#identity.keySet();
    return this.#answer;
  }
}
