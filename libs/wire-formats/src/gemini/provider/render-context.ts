import type { ChatRequest, Loss } from '@gateway/interchange';
import { readGeneration } from '../model-family.ts';

/** What the parts of a request need to know of the whole of it. */
export interface RenderContext {
  /** Whether the request came in this very format: then nothing is added to it, and nothing left out. */
  readonly isOwnFormat: boolean;
  readonly generation: number;
  /** The names of the functions that were called, by the ids of the calls. */
  readonly calledNames: ReadonlyMap<string, string>;
  readonly lose: (field: string, reason: string) => void;
}

export function createRenderContext(request: ChatRequest, model: string, losses: Loss[]): RenderContext {
  const calledNames = new Map<string, string>();
  for (const { parts } of request.messages) {
    for (const part of parts) if (part.type === 'tool-call') calledNames.set(part.id, part.name);
  }
  return {
    isOwnFormat: request.extensions?.gemini !== undefined,
    generation: readGeneration(model),
    calledNames,
    lose: (field, reason) => losses.push({ field, reason }),
  };
}
