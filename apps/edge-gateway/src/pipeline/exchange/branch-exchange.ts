import type { Exchange } from './exchange.ts';

/**
 * An exchange for one of two calls that are made at the same time: what a call notes of itself (ledger, times, headers, its
 * span) is its own, and so is being ended. A client that leaves ends both. What is told of all calls (`tries`) is shared.
 *
 * @param noted where its notes go on from: another branch, for a call that is not the first
 */
export function branchExchange(exchange: Exchange, noted: Exchange = exchange): Exchange {
  const abort = new AbortController();
  const { signal } = exchange.abort;
  if (signal.aborted) abort.abort(signal.reason);
  else signal.addEventListener('abort', () => abort.abort(signal.reason), { once: true });
  const branch: Exchange = {
    ...noted,
    abort,
    ledger: { ...noted.ledger },
    timings: { ...noted.timings },
    headers: { ...noted.headers },
  };
  delete branch.providerCall;
  return branch;
}

/** What the call noted whose answer goes to the client holds for the exchange. */
export function adoptBranch(exchange: Exchange, branch: Exchange): void {
  Object.assign(exchange.ledger, branch.ledger);
  Object.assign(exchange.timings, branch.timings);
  for (const name of Object.keys(exchange.headers)) {
    if (!(name in branch.headers)) Reflect.deleteProperty(exchange.headers, name);
  }
  Object.assign(exchange.headers, branch.headers);
  exchange.outboundBytes = branch.outboundBytes;
  exchange.streamsUsage = branch.streamsUsage;
  exchange.toolNames = branch.toolNames;
  if (branch.providerCall === undefined) delete exchange.providerCall;
  else exchange.providerCall = branch.providerCall;
}
