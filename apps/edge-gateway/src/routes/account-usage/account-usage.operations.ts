import {
  analyticsDayList,
  analyticsQuery,
  daysQuery,
  keyUsageList,
  spanQuery,
  usageDayList,
  usageSummary,
} from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

const tag = 'Requests and usage';
const figures =
  'Sums over the request log. `cost_usd` is of the requests whose price is known, and `unpriced_requests` counts the others; `null` means that nobody knows.';

export const summarizeUsage: Operation = {
  id: 'summarizeUsage',
  tag,
  summary: 'Sum up usage',
  description: `${figures} Of the current billing period, the calendar month in UTC, unless \`from\` (inclusive) and \`to\` (exclusive) say otherwise: 400 days at most.`,
  query: spanQuery,
  answer: { status: 200, description: 'The sums.', schema: usageSummary },
};

export const listDailyUsage: Operation = {
  id: 'listDailyUsage',
  tag,
  summary: 'Sum up usage by day',
  description: `${figures} The last \`days\` days in UTC, today included, the oldest first; days without requests too.`,
  query: daysQuery,
  answer: { status: 200, description: 'The days.', schema: usageDayList },
};

export const listKeyUsage: Operation = {
  id: 'listKeyUsage',
  tag,
  summary: 'Sum up usage by API key',
  description: `${figures} Of the current billing period, the calendar month in UTC, unless \`from\` (inclusive) and \`to\` (exclusive) say otherwise: 400 days at most. The most used key first; keys that were not used too, and revoked ones that were: 1,000 used ones at most.`,
  query: spanQuery,
  answer: { status: 200, description: 'The keys.', schema: keyUsageList },
};

export const listDailyAnalytics: Operation = {
  id: 'listDailyAnalytics',
  tag,
  summary: 'Sum up usage by day for a dashboard',
  description: `${figures} With how requests ended, how long they took, and the 20 most used models: of each of the last \`days\` days in UTC, today included, the oldest first, and of all of them as one in \`totals\`. Its \`recall\` is measured on shadow sessions, with exact one-sided 95% bounds. \`key_id\`, \`model\` and \`session_id\` narrow it together. For scripts, with an API key: \`/v1/usage/analytics/daily\`.`,
  query: analyticsQuery,
  answer: { status: 200, description: 'The days.', schema: analyticsDayList },
};

export const listDailyAnalyticsByKey: Operation = {
  ...listDailyAnalytics,
  id: 'listDailyAnalyticsByKey',
  summary: 'Sum up usage by day for a script',
  description: 'What `/v1/account/usage/analytics/daily` answers to a person, with an API key.',
};
