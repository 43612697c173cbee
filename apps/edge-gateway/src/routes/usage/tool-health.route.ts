import {
  listRecallAlerts,
  listToolHealth,
  listToolSuggestions,
  recallAlertPage,
  recallAlertsQuery,
  toolHealthPage,
  toolHealthQuery,
  toolSuggestionPage,
  toolSuggestionsQuery,
  type RecallAlert,
  type ToolHealth,
  type ToolSuggestion,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { FromCaller, type AccountCaller } from '../../access/access.guard.ts';
import { MESSAGING } from '../../access/tokens.ts';
import { AllowAccess, CountAs, Describe, type Operation } from '../../openapi/operation.ts';
import { parseQuery } from '../../request/validate-input.ts';
import { chooseLastDays } from '../../request/usage-span.ts';

const tag = 'Tool health';

const toolHealthOperation: Operation = {
  id: 'listToolHealth',
  tag,
  summary: 'List how often each tool was forwarded and called',
  description:
    'Lists the tools that requests offered in the last `days` days (UTC, including today), most often offered first. The figures cover every request with tools, also with pruning off, and do not expire with the request log. `description_score` starts at 100 and loses the points in `issues`. These rate length, verb, substance, documented parameters, schema, near duplicates among tools offered together, and use. Definitions are read when they are offered and are not stored.',
  query: toolHealthQuery,
  answer: { status: 200, description: 'A page of tools.', schema: toolHealthPage },
};

const recallAlertsOperation: Operation = {
  id: 'listRecallAlerts',
  tag,
  summary: 'List tools that were needed and not forwarded, newest first',
  description:
    'Covers the last `days` days (UTC, including today). `detected_by` is one of three. `hallucinated_call`: the model called a tool that the request offered and that was not forwarded. `recovery`: the model requested a tool through the gateway’s recovery tool. `shadow`: all tools were forwarded, and the plan that was computed for comparison would have pruned the tool.',
  query: recallAlertsQuery,
  answer: { status: 200, description: 'A page of alerts.', schema: recallAlertPage },
};

const suggestionsOperation: Operation = {
  id: 'listToolSuggestions',
  tag,
  summary: 'List tools that are easily confused, with words that distinguish them',
  description:
    'Covers the newest 1,000 requests with tool calls of the last `days` days (UTC, including today). A pair is listed if one tool ranked above the called tool without being called, in at least three requests and a fifth of the calls, and if the two definitions are similar. `expected_gain` scores the recorded decisions again without the other tool above. It is an upper bound of the improvement.',
  query: toolSuggestionsQuery,
  answer: { status: 200, description: 'A page of suggestions.', schema: toolSuggestionPage },
};

interface Page<Item> {
  readonly object: 'list';
  readonly data: readonly Item[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/**
 * Serves `/v1/account/tools`, which reports tool use, missed tools, and suggestions for better tool descriptions.
 */
@Controller('/v1/account/tools')
@AllowAccess('api-key-or-session')
@CountAs('analytics')
export class ToolHealthRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(MESSAGING) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Get('/health')
  @Describe(toolHealthOperation)
  async listHealth(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<Page<ToolHealth> & { from: string; to: string; requests_considered: number }> {
    const { days, limit, offset } = parseQuery(toolHealthQuery, query);
    const span = chooseLastDays(days, Date.now());
    const call = { accountId, ...span, limit, offset };
    const { tools, total, requestsConsidered } = await this.#messaging.call(listToolHealth, call);
    const page = { object: 'list', data: tools, total, limit, offset } as const;
    return { ...page, ...span, requests_considered: requestsConsidered };
  }

  @Get('/recall-alerts')
  @Describe(recallAlertsOperation)
  async listAlerts(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<Page<RecallAlert>> {
    const { days, limit, offset } = parseQuery(recallAlertsQuery, query);
    const call = { accountId, ...chooseLastDays(days, Date.now()), limit, offset };
    const { alerts, total } = await this.#messaging.call(listRecallAlerts, call);
    return { object: 'list', data: alerts, total, limit, offset };
  }

  @Get('/suggestions')
  @Describe(suggestionsOperation)
  async listSuggestions(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<Page<ToolSuggestion> & { from: string; to: string; requests_considered: number }> {
    const { days, limit, offset } = parseQuery(toolSuggestionsQuery, query);
    const span = chooseLastDays(days, Date.now());
    const call = { accountId, ...span, limit, offset };
    const { suggestions, total, requestsConsidered } = await this.#messaging.call(listToolSuggestions, call);
    const page = { object: 'list', data: suggestions, total, limit, offset } as const;
    return { ...page, ...span, requests_considered: requestsConsidered };
  }
}
