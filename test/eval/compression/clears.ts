import type { CatalogModel } from '@gateway/model-catalog';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import { chooseClear } from '../../../apps/edge-gateway/src/pipeline/stages/plan/context/context-pricing.ts';
import { listCandidates } from '../../../apps/edge-gateway/src/pipeline/stages/plan/context/context-subject.ts';
import type { Transcript } from './transcripts.ts';

const { client } = formatNamed('chat-completions');

/** Returns a function that chooses an edge's declared clear for a request with the given number of messages. */
export function clearsOf({ messages }: Transcript, model: CatalogModel): (end: number) => number {
  return (end) => {
    const body = Buffer.from(JSON.stringify({ model: model.modelId, messages: messages.slice(0, end) }));
    const tape = scanJson(body, { depthMax: 128 });
    const outline = client.outlineRequest(tape);
    return chooseClear({ outline, candidates: listCandidates(outline, client.listContext(tape, 0)), model });
  };
}
