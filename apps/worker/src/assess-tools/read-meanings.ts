import { embedTools } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { OfferedTool } from './assessed-tool.ts';
import { takeApart } from './assessed-tool.ts';
import { Meanings } from './meanings.ts';

const wordsMax = 2_000;
const wordCharactersMax = 64;
const floatBytes = 4;

/** What the router takes a list's tools to mean; null while it cannot say: then they are compared by their words alone. */
export async function readMeanings(
  messaging: Pick<Messaging, 'call'>,
  tools: readonly OfferedTool[],
): Promise<Meanings | null> {
  const words = listNameWords(tools);
  const asked = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  try {
    const { vectors } = await messaging.call(embedTools, { tools: asked, words });
    if (vectors === null) return null;
    const bytes = [vectors.tools, vectors.words].map((text) => Buffer.from(text, 'base64'));
    const numbers = readFloats(Buffer.concat(bytes));
    if (numbers.length !== (tools.length + words.length) * vectors.dimensions) return null;
    return new Meanings(vectors.dimensions, numbers, { tools: tools.map(({ name }) => name), words });
  } catch {
    return null;
  }
}

/** The stems of what the names name, each once. */
export function listNameWords(tools: readonly OfferedTool[]): string[] {
  const words = new Set(tools.flatMap((tool) => [...takeApart(tool).objects]));
  return [...words].filter(({ length }) => length <= wordCharactersMax).slice(0, wordsMax);
}

function readFloats(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / floatBytes }, (_, at) =>
    bytes.readFloatLE(at * floatBytes),
  );
}
