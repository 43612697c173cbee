import type { CausedFault, History, LogRow, Operation, RegisterAccess } from './history.ts';

/** Returns a history without operations. */
export const emptyHistory: History = {
  ...{ operations: [], faults: [], upstream: [], rows: [], ledger: [], initial: {}, limitedKeys: [] },
  ...{ deniedTools: {}, leftovers: [], leaks: [], stalls: [], recoveryMs: 0 },
};

/** A served chat with default values, except for the given fields. */
export const operationOf = (id: string, given: Partial<Operation> = {}): Operation => ({
  ...{ id, kind: 'chat', accountId: 'account-1', keyId: 'key-1', edge: 'edge-gateway' },
  ...{
    startMs: 1_000,
    endMs: (given.startMs ?? 1_000) + 100,
    status: 200,
    code: null,
    isWhole: true,
    requestId: `request-${id}`,
  },
  ...{ accesses: [], subjectKeyId: null },
  ...given,
});

/** The request log row of a served chat with default values, except for the given fields. */
export const rowOf = (operation: string, given: Partial<LogRow> = {}): LogRow => ({
  ...{ id: `request-${operation}`, accountId: 'account-1', keyId: 'key-1', operation, status: 'ok' },
  ...{ promptTokens: 1_000, completionTokens: 100, toolsSaved: 0, compressionSaved: 0, netSaved: 0 },
  ...given,
});

export const faultOf = (given: Partial<CausedFault>): CausedFault => ({
  ...{ kind: 'kill', target: 'account', atMs: 0, forMs: 0, startedMs: 0, endedMs: 500 },
  ...given,
});

/** An operation that wrote to or read from a register. */
export const accessOf = (
  id: string,
  { startMs, ...access }: RegisterAccess & { readonly startMs: number },
): Operation => operationOf(id, { kind: 'key-list', startMs, endMs: startMs + 10, accesses: [access] });
