import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, unwrap } from './client.ts';

const pageRows = 500;
/**
 * Maximum number of tools to read. One tool list has at most 4,096 tools, and an account may have several
 * tool lists.
 */
const toolsMax = 10_000;
/**
 * Maximum number of alerts and of suggestions to read. The dashboard reads the newest alerts, and the
 * suggestions with the most evidence.
 */
const alertsMax = 500;

const readHealth = (days: number, offset: number) =>
  unwrap(api.GET('/v1/account/tools/health', { params: { query: { days, offset, limit: pageRows } } }));
type HealthPage = Awaited<ReturnType<typeof readHealth>>;
export type ToolHealth = HealthPage['data'][number];

/** Reads every tool of the last `days` days, page by page. The browser needs all tools for sorting. */
async function readAllHealth(days: number): Promise<HealthPage> {
  const first = await readHealth(days, 0);
  const tools = [...first.data];
  while (tools.length < Math.min(first.total, toolsMax)) {
    const { data } = await readHealth(days, tools.length);
    if (data.length === 0) break;
    tools.push(...data);
  }
  return { ...first, data: tools };
}

export function useToolHealth(days: number) {
  return useQuery({
    queryKey: ['tool-health', days],
    queryFn: () => readAllHealth(days),
    placeholderData: keepPreviousData,
  });
}

const readAlerts = (days: number) =>
  unwrap(api.GET('/v1/account/tools/recall-alerts', { params: { query: { days, limit: alertsMax } } }));
export type RecallAlert = Awaited<ReturnType<typeof readAlerts>>['data'][number];

export function useRecallAlerts(days: number) {
  return useQuery({
    queryKey: ['recall-alerts', days],
    queryFn: () => readAlerts(days),
    placeholderData: keepPreviousData,
  });
}

const readSuggestions = (days: number) =>
  unwrap(api.GET('/v1/account/tools/suggestions', { params: { query: { days, limit: alertsMax } } }));
export type ToolSuggestion = Awaited<ReturnType<typeof readSuggestions>>['data'][number];

export function useToolSuggestions(days: number) {
  return useQuery({
    queryKey: ['tool-suggestions', days],
    queryFn: () => readSuggestions(days),
    placeholderData: keepPreviousData,
  });
}
