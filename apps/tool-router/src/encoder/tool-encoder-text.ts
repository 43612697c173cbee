import type { ToolDefinition } from '@gateway/contracts';
import { visitToolTexts } from '../tool-index/tool-card.ts';
import type { EncoderField, EncoderPart, EncoderText } from '../inference/inference-protocol.ts';

/** Maximum number of characters that any encoder reads from one text. */
const charactersPerTextMax = 4_000;
/**
 * Maximum number of texts that are read from a tool definition. Further texts are skipped, because no encoder
 * reads that many words.
 */
const partsMax = 256;

/** The encoder's input text for a tool. Encoder texts are computed once per tool definition. */
export function makeToolEncoderText(definition: ToolDefinition): EncoderText {
  const parts: EncoderPart[] = [];
  visitToolTexts(definition, (field, text) => {
    if (parts.length < partsMax && text !== '') parts.push({ field, text });
  });
  return parts;
}

const charactersMax = 4_000;
/** Text inserted before the first part of a field, for models trained on prose. */
const leads: Readonly<Partial<Record<EncoderField, string>>> = {
  parameterName: 'Parameters: ',
  parameterDescription: 'They are: ',
  enumValue: 'Values: ',
  example: 'Examples: ',
};

/**
 * Joins all parts of a tool's text into one string, for encoders without fields. Encoders without fields give the
 * most weight to the beginning of a text. A tool's text starts with the name (split into words) and the description.
 * Parameter names precede parameter descriptions.
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

/** Splits a name into words, for example `createIssue_v2` into `create Issue v2`. */
function spaceName(name: string): string {
  return name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[_.:/-]+/g, ' ');
}

/**
 * The encoder text for a tool definition. Each part of the text is truncated to the maximum length that
 * encoders read.
 */
export function renderToolText(definition: ToolDefinition): EncoderText {
  return truncateParts(makeToolEncoderText(definition));
}

/**
 * The second encoder's text for a tool. The text consists of the name and the description. With parameters in the text, the
 * second encoder takes twice as long and finds fewer needed tools. The first encoder already reads the parameters.
 */
export function renderToolSentence({ name, description }: ToolDefinition): EncoderText {
  const parts: EncoderText = [
    { field: 'name', text: name ?? '' },
    { field: 'description', text: description },
  ];
  return truncateParts(parts.filter(({ text }) => text !== ''));
}

function truncateParts(parts: EncoderText): EncoderText {
  return parts.map(({ field, text }) => ({
    field,
    text: text.length > charactersPerTextMax ? text.slice(0, charactersPerTextMax) : text,
  }));
}
