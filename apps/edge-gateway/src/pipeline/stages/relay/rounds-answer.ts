import { GatewayError } from '@gateway/errors';
import { renderClientHeaders } from '@gateway/providers';
import type { UpstreamAnswer } from '../../../request/upstream-answer.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';
import type { PassedAnswer } from './passed-answer.ts';

/** The answer with the headers that the client gets of it. Throws `upstream_invalid` for an encoding nobody asked for. */
export function passAnswer(answer: UpstreamAnswer, exchange: Exchange): PassedAnswer {
  const { headers, providerRequestId, contentEncoding } = renderClientHeaders(answer.headers);
  if (contentEncoding !== null)
    throw refuseAnswer(answer, `content-encoding ${contentEncoding}, which was not asked for`);
  return { answer, headers: { ...headers, ...exchange.headers }, providerRequestId };
}

export function refuseAnswer(answer: UpstreamAnswer, detail: string): GatewayError {
  answer.body.discard();
  return new GatewayError('upstream_invalid', { detail: `the provider answered with ${detail}` });
}

/**
 * Puts what the rounds did into the log, and into the headers of an answer that has not begun; what is known later is in
 * the log alone.
 */
export function noteRounds(exchange: Exchange, rounds: RecoveryRounds): void {
  const { ledger, headers } = exchange;
  const { recovered } = rounds;
  ledger.recoveredTools = [...recovered];
  ledger.recoveryRounds = rounds.count;
  ledger.toolsOut = Math.min(ledger.toolsIn, rounds.forwarded);
  if (exchange.response.headersSent || recovered.length === 0) return;
  headers['x-svc-recovered'] = String(recovered.length);
  headers['x-svc-tools-output'] = String(ledger.toolsOut);
  headers['x-svc-prune-ratio'] = `${ledger.toolsOut}/${ledger.toolsIn}`;
}
