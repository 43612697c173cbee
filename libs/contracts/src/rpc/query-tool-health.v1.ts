import { z } from 'zod';
import { recallAlert, toolHealth, toolSuggestion } from '../api/tool-health.ts';
import { count, id, timestamp } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

const common = { server: 'worker', callers: ['edge-gateway'], deadlineMs: 5_000 } as const;
/** A page of the tools in requests received from `from` (inclusive) to `to` (exclusive). */
const page = z.object({
  accountId: id,
  from: timestamp,
  to: timestamp,
  limit: z.int().min(1).max(500),
  offset: count,
});

/** Lists tools, most frequently offered first. */
export const listToolHealth = defineRpc({
  ...common,
  subject: 'worker.list-tool-health.v1',
  request: page,
  reply: z.object({ total: count, requestsConsidered: count, tools: z.array(toolHealth) }),
});

/** Lists suggestions for tools. Suggestions that are supported by the most requests come first. */
export const listToolSuggestions = defineRpc({
  ...common,
  subject: 'worker.list-tool-suggestions.v1',
  request: page,
  reply: z.object({ total: count, requestsConsidered: count, suggestions: z.array(toolSuggestion) }),
});

/** Lists tools that were needed but not forwarded, newest first. */
export const listRecallAlerts = defineRpc({
  ...common,
  subject: 'worker.list-recall-alerts.v1',
  request: page,
  reply: z.object({ total: count, alerts: z.array(recallAlert) }),
});
