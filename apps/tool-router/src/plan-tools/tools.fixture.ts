import { createHash } from 'node:crypto';
import type { PlanToolsRequest, ToolDefinition } from '@gateway/contracts';
import { hashList } from '../define-tools/tool-memory.adapter.ts';
import { makeToolCard } from '../ranking/tool-card.ts';
import { indexToolList, type ToolListIndex } from '../ranking/tool-list-index.ts';

export function defineTool(name: string | null, description = ''): ToolDefinition {
  const hash = createHash('sha256')
    .update(`${String(name)}\n${description}`)
    .digest('hex');
  return { hash, name, description, parameters: null, examples: [] };
}

export function indexTools(tools: readonly (string | ToolDefinition)[]): ToolListIndex {
  const definitions = tools.map((tool) => (typeof tool === 'string' ? defineTool(tool) : tool));
  const hash = hashList(definitions.map((definition) => definition.hash));
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
