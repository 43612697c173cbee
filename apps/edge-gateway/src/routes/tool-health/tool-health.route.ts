import {
  listRecallAlerts,
  listToolHealth,
  listToolSuggestions,
  recallAlertsQuery,
  toolHealthQuery,
  toolSuggestionsQuery,
  type RecallAlert,
  type ToolHealth,
  type ToolSuggestion,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { parseInput } from '../../request/read-body.ts';
import { tokens } from '../../tokens.ts';
import { chooseLastDays } from '../../request/usage-span.ts';
import * as operations from './tool-health.operations.ts';

interface Page<Item> {
  readonly object: 'list';
  readonly data: readonly Item[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** `/v1/account/tools`: how tools fared, which were missed, and what would help. */
@Controller('/v1/account/tools')
@AllowAccess('api-key-or-session')
export class ToolHealthRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(tokens.messaging) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Get('/health')
  @Describe(operations.listToolHealth)
  async listHealth(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<Page<ToolHealth> & { from: string; to: string; requests_considered: number }> {
    const { days, limit, offset } = parseInput(toolHealthQuery, query);
    const span = chooseLastDays(days, Date.now());
    const call = { accountId, ...span, limit, offset };
    const { tools, total, requestsConsidered } = await this.#messaging.call(listToolHealth, call);
    const page = { object: 'list', data: tools, total, limit, offset } as const;
    return { ...page, ...span, requests_considered: requestsConsidered };
  }

  @Get('/recall-alerts')
  @Describe(operations.listRecallAlerts)
  async listAlerts(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<Page<RecallAlert>> {
    const { days, limit, offset } = parseInput(recallAlertsQuery, query);
    const call = { accountId, ...chooseLastDays(days, Date.now()), limit, offset };
    const { alerts, total } = await this.#messaging.call(listRecallAlerts, call);
    return { object: 'list', data: alerts, total, limit, offset };
  }

  @Get('/suggestions')
  @Describe(operations.listToolSuggestions)
  async listSuggestions(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<Page<ToolSuggestion> & { from: string; to: string; requests_considered: number }> {
    const { days, limit, offset } = parseInput(toolSuggestionsQuery, query);
    const span = chooseLastDays(days, Date.now());
    const call = { accountId, ...span, limit, offset };
    const { suggestions, total, requestsConsidered } = await this.#messaging.call(listToolSuggestions, call);
    const page = { object: 'list', data: suggestions, total, limit, offset } as const;
    return { ...page, ...span, requests_considered: requestsConsidered };
  }
}
