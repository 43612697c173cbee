import type { UpstreamReply } from '../../../upstream/upstream.port.ts';
import type { ChatAnswer } from '../../exchange/answer.ts';
import type { Caller, Target } from '../../../request/request.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { FailedTry } from '../../exchange/tries.ts';
import type { Candidate } from './candidates.ts';

/** A request that is to be answered by somebody. */
export interface Quest {
  readonly target: Target;
  readonly exchange: Exchange;
  readonly caller: Caller;
  /** Whether it can be sent more than once. */
  readonly isRepeatable: boolean;
  /** Whether two of it at the same time do nothing twice. Absent: they might. */
  readonly isHedgeable?: boolean;
  /** Sends it, noting what it does on an exchange. Resolves when the answer's status and headers are in. */
  call(candidate: Candidate, exchange: Exchange, signal: AbortSignal): Promise<UpstreamReply>;
}

/** What became of a call. */
export type Made =
  | { readonly failure: undefined; readonly answer: ChatAnswer }
  | { readonly failure: FailedTry; readonly answer: ChatAnswer | undefined };
