import { hashToolList } from '@gateway/contracts';
import { createHash } from 'node:crypto';
import type { PlanToolsRequest, ToolDefinition } from '@gateway/contracts';
import { makeToolCard } from './tool-card.ts';
import { indexToolList, type KeywordIndex } from './keyword-index.ts';

export function defineTool(name: string | null, description = ''): ToolDefinition {
  const hash = createHash('sha256')
    .update(`${String(name)}\n${description}`)
    .digest('hex');
  return { hash, name, description, parameters: null, examples: [] };
}

export function indexTools(tools: readonly (string | ToolDefinition)[]): KeywordIndex {
  const definitions = tools.map((tool) => (typeof tool === 'string' ? defineTool(tool) : tool));
  const hash = hashToolList(definitions.map((definition) => definition.hash));
  return indexToolList(hash, definitions.map(makeToolCard));
}

export function planRequest(fields: Partial<PlanToolsRequest>): PlanToolsRequest {
  return {
    accountId: '019a9f5e-0000-7000-8000-000000000001',
    requestId: '019a9f5e-0000-7000-8000-000000000002',
    listHash: '0'.repeat(64),
    userTurns: [],
    calledTools: [],
    recentResults: [],
    forcedTools: [],
    pinned: [],
    kOverride: null,
    recallTarget: 0.95,
    ...fields,
  };
}
