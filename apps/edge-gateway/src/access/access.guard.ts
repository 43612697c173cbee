import { GatewayError } from '@gateway/errors';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Inject, Injectable, createParamDecorator } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { GrantCache } from '../grants/grant-cache.ts';
import { authenticateHeaders } from '../request/authenticate-headers.ts';
import type { SessionGate } from '../login-sessions/login-session-gate.ts';
import type { Session } from '../login-sessions/login-session.ts';
import { looksLikeSessionToken } from '../login-sessions/login-session.ts';
import { tokens } from '../tokens.ts';
import type { Access } from '../openapi/operation.ts';
import { accessKey } from '../openapi/operation.ts';

const callers = new WeakMap<FastifyRequest, AccountCaller>();
const sessions = new WeakMap<FastifyRequest, Session>();

/**
 * On whose account a request that this guard let through works. Throws `account_not_registered` for a person who has none
 * yet.
 */
function callerOf(request: FastifyRequest): AccountCaller {
  const caller = callers.get(request);
  if (caller) return caller;
  const { accountId, personId } = sessionOf(request);
  if (accountId === null) throw new GatewayError('account_not_registered');
  return { accountId, personId, keyId: null };
}

/** The person's session with which a request came through this guard, to a route that takes sessions alone. */
function sessionOf(request: FastifyRequest): Session {
  const session = sessions.get(request);
  if (!session) throw new GatewayError('internal_error', { detail: 'the route has no authenticated caller' });
  return session;
}

/** Denies by default. A guard rather than a hook on paths: it sees the route that will run, however it was spelled. */
@Injectable()
export class AccessGuard implements CanActivate {
  readonly #reflector: Reflector;
  readonly #grants: GrantCache;
  readonly #sessions: SessionGate;

  constructor(
    @Inject(Reflector) reflector: Reflector,
    @Inject(tokens.grants) grants: GrantCache,
    @Inject(tokens.sessions) gate: SessionGate,
  ) {
    this.#reflector = reflector;
    this.#grants = grants;
    this.#sessions = gate;
  }

  /** At once where the route lets anybody in, or looks for itself: a chat request waits for nothing here. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = this.#reflector.getAllAndOverride<Access | undefined>(accessKey, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (access === 'public' || access === 'pipeline') return true;
    if (access === undefined) throw new GatewayError('not_found');
    return this.#authenticate(context.switchToHttp().getRequest<FastifyRequest>(), access).then(() => true);
  }

  /** The form of a credential says its kind: the wrong one is refused before anybody is asked about it. */
  async #authenticate(
    request: FastifyRequest,
    access: 'api-key' | 'session' | 'api-key-or-session',
  ): Promise<void> {
    const bearer = bearerOf(request);
    const isSession = bearer !== undefined && looksLikeSessionToken(bearer);
    if (access === 'session') requireSession(bearer, isSession);
    if (isSession && access !== 'api-key') {
      sessions.set(request, await this.#sessions.authenticate(bearer));
      return;
    }
    const { accountId, keyId } = await authenticateHeaders(request.headers, this.#grants);
    callers.set(request, { accountId, keyId, personId: null });
  }
}

function requireSession(bearer: string | undefined, isSession: boolean): void {
  if (isSession) return;
  if (bearer === undefined) throw new GatewayError('missing_session_token');
  throw new GatewayError(bearer.startsWith('sk-') ? 'session_required' : 'invalid_session_token');
}

function bearerOf({ headers }: FastifyRequest): string | undefined {
  const match = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '');
  return match?.[1];
}

/** On whose account a route works, whichever way the caller proved it. */
export interface AccountCaller {
  readonly accountId: string;
  /** The API key it was called with; null for a person. */
  readonly keyId: string | null;
  /** The person who called; null for an API key. */
  readonly personId: string | null;
}

/** Injects on whose account a request works: an `AccountCaller`. */
export const FromCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** Injects the `Session` of a route that takes sessions alone. Its person may have no account yet. */
export const FromSession = createParamDecorator((_: unknown, context: ExecutionContext) =>
  sessionOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
