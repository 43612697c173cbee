import { GatewayError } from '@gateway/errors';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import type { LoginSession } from '../login-sessions/login-session.ts';
import { accessKey, budgetKey, type Access, type RouteBudget } from '../openapi/operation.ts';
import { PIPELINE_SERVICES, type PipelineServices } from '../pipeline/services.ts';
import { authenticateHeaders } from '../request/authenticate-headers.ts';
import { countRequest, renderRateHeaders, requireRoom } from '../rate-limits/count-request.ts';
import type { LimitedCaller, RateDecision } from '../rate-limits/rate-limiter.port.ts';
import { findLoginSession } from './access.guard.ts';

/** For each kind of account route, the maximum number of calls per account and minute. */
export type AccountLimits = Readonly<Record<AccountBudget, number>>;
export const ACCOUNT_LIMITS = Symbol('ACCOUNT_LIMITS');

/**
 * The rate limits that apply to a whole account. The limit `requests` is excluded, because it applies to the chat
 * requests of one API key.
 */
type AccountBudget = Exclude<RouteBudget, 'requests'>;

const callNames: Readonly<Record<AccountBudget, string>> = {
  read: 'account calls',
  analytics: 'log and usage queries',
  write: 'changes',
  export: 'exports',
};

/**
 * Applies rate limits to authenticated routes that do not run the request pipeline. Calls to account routes with an
 * API key count against the `rate_limit_rpm` of the key. Chat requests of the key have a separate rate limit. In
 * addition, all calls from an account count against one rate limit per kind of route. The rate limit guard runs
 * after `AccessGuard`. Throws `rate_limit_exceeded`.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  readonly #reflector: Reflector;
  readonly #services: Pick<PipelineServices, 'grants' | 'rateLimiter' | 'metrics'>;
  readonly #limits: AccountLimits;

  constructor(
    @Inject(Reflector) reflector: Reflector,
    @Inject(PIPELINE_SERVICES) services: PipelineServices,
    @Inject(ACCOUNT_LIMITS) limits: AccountLimits,
  ) {
    this.#reflector = reflector;
    this.#services = services;
    this.#limits = limits;
  }

  /** Returns synchronously for public routes, and for routes that the request pipeline limits. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    const access = this.#reflector.getAllAndOverride<Access | undefined>(accessKey, targets);
    if (access === undefined || access === 'public' || access === 'pipeline') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const budget =
      this.#reflector.getAllAndOverride<RouteBudget | undefined>(budgetKey, targets) ??
      chooseBudget(request.method);
    return this.#count(request, http.getResponse<FastifyReply>(), budget).then(() => true);
  }

  async #count(request: FastifyRequest, reply: FastifyReply, budget: RouteBudget): Promise<void> {
    const session = findLoginSession(request);
    if (session !== undefined) {
      if (budget !== 'requests') await this.#countAccount(nameOwner(session), budget, reply);
      return;
    }
    const grant = await authenticateHeaders(request.headers, this.#services.grants);
    const window = budget === 'requests' ? undefined : 'account';
    const { decision } = await countRequest(grant, this.#services, window);
    void reply.headers(renderRateHeaders(decision));
    if (!decision.admitted) this.#services.metrics.accountCallsLimited.inc({ budget: 'key' });
    requireRoom(decision);
    if (budget !== 'requests')
      await this.#countAccount({ accountId: grant.accountId, name: '' }, budget, reply, decision);
  }

  /** The response headers describe the rate limit with the fewest remaining calls. */
  async #countAccount(
    { accountId, name }: BudgetOwner,
    budget: AccountBudget,
    reply: FastifyReply,
    ofKey?: RateDecision,
  ): Promise<void> {
    const limit = this.#limits[budget];
    const caller: LimitedCaller = { accountId, keyId: `account:${budget}${name}`, rateLimitRpm: limit };
    const decision = await this.#services.rateLimiter.admit(caller);
    const isTighter = ofKey === undefined || !decision.admitted || decision.remaining < ofKey.remaining;
    if (isTighter) void reply.headers(renderRateHeaders(decision));
    if (decision.admitted) return;
    this.#services.metrics.accountCallsLimited.inc({ budget });
    throw new GatewayError('rate_limit_exceeded', {
      message: `The account has reached its limit of ${limit} ${callNames[budget]} per minute.`,
      retryAfterMs: decision.resetMs,
    });
  }
}

interface BudgetOwner {
  readonly accountId: string;
  readonly name: string;
}

/** Calls from a user without an account count against a separate rate limit for that user. */
function nameOwner({ accountId, issuer, subject }: LoginSession): BudgetOwner {
  if (accountId !== null) return { accountId, name: '' };
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url');
  return { accountId: 'people', name: `:${digest}` };
}

function chooseBudget(method: string): AccountBudget {
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}
