import type { ToolDefinition } from '@gateway/contracts';
import { visitToolTexts } from '../tool-index/tool-card.ts';
import type { EncoderField, EncoderPart, EncoderText } from '../inference/inference-protocol.ts';

/** No encoder reads more of one text. */
const charactersPerTextMax = 4_000;
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

const charactersMax = 4_000;
/** What stands before the first part of a field, for a model that reads prose. */
const leads: Readonly<Partial<Record<EncoderField, string>>> = {
  parameterName: 'Parameters: ',
  parameterDescription: 'They are: ',
  enumValue: 'Values: ',
  example: 'Examples: ',
};

/**
 * A text in one piece, for encoders that know no fields: what is said first weighs most with them, so a tool's name (split
 * into words) and description lead, and its parameters' names come before what is said of them.
 */
export function joinParts(parts: EncoderText): string {
  const order: readonly EncoderField[] = [
    'query',
    'context',
    'name',
    'description',
    'example',
    'parameterName',
    'enumValue',
    'parameterDescription',
  ];
  const texts = order.flatMap((field) => {
    const own = parts.filter((part) => part.field === field && part.text !== '');
    if (own.length === 0) return [];
    const isName = field === 'name' || field === 'parameterName';
    const joined = own.map(({ text }) => (isName ? spaceName(text) : text.trim())).join(isName ? ', ' : ' ');
    return [`${leads[field] ?? ''}${joined}`];
  });
  return texts.join('. ').slice(0, charactersMax);
}

/** `createIssue_v2` → `create Issue v2`. */
function spaceName(name: string): string {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[_.:/-]+/g, ' ');
}

/** What an encoder reads of a definition, each part as far as any encoder does. */
export function renderToolText(definition: ToolDefinition): EncoderText {
  return makeToolEncoderText(definition).map(({ field, text }) => ({
    field,
    text: text.length > charactersPerTextMax ? text.slice(0, charactersPerTextMax) : text,
  }));
}
