import type { Actor, KeyScope } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import {
  createParamDecorator,
  Inject,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { GrantCache, requireScope } from '../grants/grant-cache.ts';
import { LoginSessionGate } from '../login-sessions/login-session-gate.ts';
import { looksLikeSessionToken, type LoginSession } from '../login-sessions/login-session.ts';
import { scopeOf } from '../openapi/operation-scopes.ts';
import { accessKey, operationKey, type Access, type Operation } from '../openapi/operation.ts';
import { readActor } from './actor.ts';
import { authenticateHeaders } from '../request/authenticate-headers.ts';

/** The authenticated caller of a route, which is an API key or a user. */
export interface AccountCaller {
  readonly accountId: string;
  /** Id of the caller's API key. Null if the caller is a user. */
  readonly keyId: string | null;
  /** Id of the user. Null if the caller is an API key. */
  readonly personId: string | null;
  /** The caller, together with the origin of the request for the audit log. */
  readonly actor: Actor;
}

const callers = new WeakMap<FastifyRequest, Omit<AccountCaller, 'actor'>>();
const loginSessions = new WeakMap<FastifyRequest, LoginSession>();

/**
 * Denies access to callers without the right type of credential, and to API keys without the operation's scope.
 * A route that declares no access rule rejects every caller. A Nest guard checks the route that actually runs,
 * regardless of how the path is spelled. A hook that checks the path could check a different route from the one
 * that runs.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  readonly #reflector: Reflector;
  readonly #grants: GrantCache;
  readonly #loginSessions: LoginSessionGate;

  constructor(
    @Inject(Reflector) reflector: Reflector,
    @Inject(GrantCache) grants: GrantCache,
    @Inject(LoginSessionGate) loginSessions: LoginSessionGate,
  ) {
    this.#reflector = reflector;
    this.#grants = grants;
    this.#loginSessions = loginSessions;
  }

  /**
   * Returns synchronously for public routes and for chat routes, so chat requests never wait in this guard.
   */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = this.#reflector.getAllAndOverride<Access | undefined>(accessKey, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (access === 'public' || access === 'pipeline') return true;
    if (access === undefined) throw new GatewayError('not_found');
    const operation = this.#reflector.getAllAndOverride<Operation | undefined>(operationKey, [
      context.getHandler(),
      context.getClass(),
    ]);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return this.#authenticate(request, access, scopeOf(operation?.id)).then(() => true);
  }

  /**
   * API keys and session tokens have different formats, so the guard rejects the wrong kind of credential
   * without a lookup. A signed-in user has every scope.
   */
  async #authenticate(
    request: FastifyRequest,
    access: 'api-key' | 'session' | 'api-key-or-session',
    scope: KeyScope | undefined,
  ): Promise<void> {
    const bearer = readBearer(request);
    const isSession = bearer !== undefined && looksLikeSessionToken(bearer);
    if (access === 'session') requireSession(bearer, isSession);
    if (isSession && access !== 'api-key') {
      loginSessions.set(request, await this.#loginSessions.authenticate(bearer));
      return;
    }
    const grant = await authenticateHeaders(request.headers, this.#grants);
    const { accountId, keyId } = grant;
    if (scope === undefined) throw new GatewayError('not_found');
    requireScope(grant, scope);
    callers.set(request, { accountId, keyId, personId: null });
  }
}

/** Injects the `AccountCaller` of the request. Throws `account_not_registered` if the user has no account. */
export const FromCaller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/**
 * Injects the `LoginSession` on routes with access `session`. On a route with access `session`, the user does
 * not need an account.
 */
export const FromLoginSession = createParamDecorator((_: unknown, context: ExecutionContext) =>
  loginSessionOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/**
 * The login session of an authenticated user. Undefined if the caller used an API key.
 */
export function findLoginSession(request: FastifyRequest): LoginSession | undefined {
  return loginSessions.get(request);
}

function callerOf(request: FastifyRequest): AccountCaller {
  const caller = callers.get(request);
  if (caller) return { ...caller, actor: readActor(caller, request) };
  const { accountId, personId } = loginSessionOf(request);
  if (accountId === null) throw new GatewayError('account_not_registered');
  const person = { personId, keyId: null };
  return { accountId, ...person, actor: readActor(person, request) };
}

function loginSessionOf(request: FastifyRequest): LoginSession {
  const session = loginSessions.get(request);
  if (!session) throw new GatewayError('internal_error', { detail: 'the route has no authenticated caller' });
  return session;
}

function requireSession(bearer: string | undefined, isSession: boolean): void {
  if (isSession) return;
  if (bearer === undefined) throw new GatewayError('missing_session_token');
  throw new GatewayError(bearer.startsWith('sk-') ? 'session_required' : 'invalid_session_token');
}

/** The token from `Authorization: Bearer`. Undefined if the header is missing. */
export function readBearer({ headers }: FastifyRequest): string | undefined {
  const match = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '');
  return match?.[1];
}
