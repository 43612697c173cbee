import type { ToolDefinition } from '@gateway/contracts';
import { visitToolTexts } from '../ranking/tool-texts.ts';
import type { EncoderPart, EncoderText } from './encoder-text.ts';

/** Parts of a definition beyond these are not read: no encoder takes that many words. */
const partsMax = 256;

/** What an encoder reads of a tool. Made once a definition. */
export function makeToolEncoderText(definition: ToolDefinition): EncoderText {
  const parts: EncoderPart[] = [];
  visitToolTexts(definition, (field, text) => {
    if (parts.length < partsMax && text !== '') parts.push({ field, text });
  });
  return parts;
}
