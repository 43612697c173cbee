import type { UpstreamAnswer } from '../../../request/upstream-answer.ts';

/** A provider's answer with the headers that the client gets of it. */
export interface PassedAnswer {
  readonly answer: UpstreamAnswer;
  readonly headers: Readonly<Record<string, string>>;
  readonly providerRequestId: string | null;
}
