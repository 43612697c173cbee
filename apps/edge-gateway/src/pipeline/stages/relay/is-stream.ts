import type { Exchange } from '../../exchange/exchange.ts';
import type { PassedAnswer } from './passed-answer.ts';

/** Server-sent events, and AWS's binary frames. */
const streamTypes = ['text/event-stream', 'application/vnd.amazon.eventstream'];

/** Some providers do not declare the stream that was asked for; none sends JSON as one. */
export function isStream({ headers }: PassedAnswer, { ledger }: Exchange): boolean {
  const declared = (headers['content-type'] ?? '').trimStart().toLowerCase();
  return streamTypes.some((type) => declared.startsWith(type)) || (declared === '' && ledger.stream);
}
