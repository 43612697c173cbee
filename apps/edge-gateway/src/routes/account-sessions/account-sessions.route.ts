import { listSessions, sessionsQuery, type UsageSession } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { parseInput } from '../../request/read-body.ts';
import { tokens } from '../../tokens.ts';
import { chooseLastDays, chooseSpan } from '../../request/usage-span.ts';
import * as operations from './account-sessions.operations.ts';

const daysByDefault = 30;

interface SessionPage {
  readonly object: 'list';
  readonly data: readonly UsageSession[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** `/v1/account/sessions`: the log by conversation. */
@Controller('/v1/account/sessions')
@AllowAccess('api-key-or-session')
export class AccountSessionsRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(tokens.messaging) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Get()
  @Describe(operations.listSessions)
  async list(@FromCaller() { accountId }: AccountCaller, @Query() query: unknown): Promise<SessionPage> {
    const { limit, offset, ...asked } = parseInput(sessionsQuery, query);
    const span = chooseSpan(asked, chooseLastDays(daysByDefault, Date.now()));
    const call = { accountId, ...span, limit, offset };
    const { sessions, total } = await this.#messaging.call(listSessions, call);
    return { object: 'list', data: sessions, total, limit, offset };
  }
}
