import {
  analyticsDayList,
  analyticsQuery,
  cacheQuery,
  daysQuery,
  keyUsageList,
  sessionsQuery,
  spanQuery,
  usageCache,
  usageDayList,
  usageSessionPage,
  usageSummary,
} from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

const tag = 'Requests and usage';
const figures =
  'Sums over requests. They outlive the request log, and are deleted with the account only. `cost_usd` covers requests with a known price, and `unpriced_requests` counts the others. `tool_tokens_saved` is measured, `estimated_tokens_saved` is the billing unit, and credits count `net_tokens_saved`. `null` means unknown, for example because it needs log rows that were deleted. Without requests, counts are 0.';
const span =
  'By default they cover the current billing period, the calendar month in UTC. `from` (inclusive) and `to` (exclusive) select another span of at most 400 days. If one of them lies within an hour with deleted log rows, the figures are `null`: use whole hours.';

export const summarizeUsage: Operation = {
  id: 'summarizeUsage',
  tag,
  summary: 'Sum up usage',
  description: `${figures} ${span}`,
  query: spanQuery,
  answer: { status: 200, description: 'The sums.', schema: usageSummary },
};

export const listDailyUsage: Operation = {
  id: 'listDailyUsage',
  tag,
  summary: 'Sum up usage by day',
  description: `${figures} Covers the last \`days\` days in UTC including today, oldest first. Days without requests are included.`,
  query: daysQuery,
  answer: { status: 200, description: 'The days.', schema: usageDayList },
};

export const listKeyUsage: Operation = {
  id: 'listKeyUsage',
  tag,
  summary: 'Sum up usage by API key',
  description: `${figures} ${span} The most used key comes first. The list has at most 1,000 used keys, including revoked ones, and all current keys without usage.`,
  query: spanQuery,
  answer: { status: 200, description: 'The keys.', schema: keyUsageList },
};

export const reportCache: Operation = {
  id: 'reportCache',
  tag,
  summary: 'Report missed prompt caches and their causes',
  description:
    'Compares each request with the earlier one of its conversation that it continues. A miss is input that the earlier request left in the provider’s cache and that was not read from it. `client`: the client changed the prompt. `gateway`: the gateway did, for example with a fallback or a grown tool set. `expired`: the cache’s lifetime was over. `provider`: neither, so the provider dropped the prefix earlier. Covers requests in the log; by default of the current billing period, at most 400 days. `session_id` selects one session.',
  query: cacheQuery,
  answer: { status: 200, description: 'The report.', schema: usageCache },
};

export const listSessions: Operation = {
  id: 'listSessions',
  tag,
  summary: 'List sessions, most recently active first',
  description:
    'A session is all requests with the same session id: `X-Svc-Session-Id`, or otherwise the id that the agent sends itself (`x-session-id`, `session-id`, `session_id`, `x-claude-code-session-id` or `prompt_cache_key`). In requests to `/v1/responses`, the gateway reads `prompt_cache_key` only if it plans or translates the request. Figures cover requests in the log from `from` (inclusive) to `to` (exclusive): by default the last 30 days, at most 400 days.',
  query: sessionsQuery,
  answer: { status: 200, description: 'A page of sessions.', schema: usageSessionPage },
};

export const listDailyAnalytics: Operation = {
  id: 'listDailyAnalytics',
  tag,
  summary: 'Sum up usage by day for a dashboard',
  description: `${figures} Also shows how requests ended, how long they took, and the 20 most used models. Covers each of the last \`days\` days in UTC including today, oldest first, and all days together in \`totals\`. \`recall\` is measured on shadow sessions, with exact one-sided 95% bounds. The filters \`key_id\`, \`model\` and \`session_id\` can be combined. Days whose log rows were deleted have \`null\` in \`sessions\`, \`models\` and the times, and in all figures with a filter for a model or a session. With \`interval=hour\` and \`days=1\`, \`hours\` contains the same figures for each hour of today. Scripts with an API key use \`/v1/usage/analytics/daily\`.`,
  query: analyticsQuery,
  answer: { status: 200, description: 'The days.', schema: analyticsDayList },
};

export const listDailyAnalyticsByKey: Operation = {
  ...listDailyAnalytics,
  id: 'listDailyAnalyticsByKey',
  summary: 'Sum up usage by day for a script',
  description: 'Returns the same as `/v1/account/usage/analytics/daily`, for an API key.',
};
