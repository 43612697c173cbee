import { stringFits, readNumber, type Schema } from './schema.ts';
import type { MessageValues } from './message-values.ts';

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-15',
  'date-time': '2026-01-15T09:00:00Z',
  time: '09:00:00Z',
  duration: 'PT1H',
  email: 'someone@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com',
  'uri-reference': 'https://example.com',
  url: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** Example strings for common patterns in schemas. */
const shapes = [
  'example',
  'Example',
  'EXAMPLE',
  'EX',
  'EXA',
  'ex',
  'en-US',
  'e',
  '1',
  '12',
  '123',
  '1234',
  '12345',
  '1234567890',
  '1.0',
  '1.0.0',
  '2026-01-15',
  '2026-01',
  '09:00',
  '09:00:00',
  '2026-01-15T09:00:00Z',
  '#336699',
  '+14155550100',
  'https://example.com',
  'http://example.com',
  'a@example.com',
  'example.com',
  '/example',
  'example/example',
  'example-1',
  'example_1',
  '0123456789abcdef01234567',
  '0x1',
];

const proseNames =
  /query|question|search|text|body|message|content|prompt|description|comment|title|input|keyword/i;
const textCharsMax = 200;

/**
 * Chooses a string for a property. The candidates are the value in the message, a quoted string, a string that
 * suits the property's name, and an example. The function uses the first of these strings that satisfies the
 * schema.
 */
export function fillString(schema: Schema, name: string, values: MessageValues): string {
  const format = typeof schema['format'] === 'string' ? schema['format'] : undefined;
  const named = values.named(format === undefined ? name : `${name} ${format}`.trim()) ?? values.named(name);
  const accepts = (text: string | undefined): text is string =>
    text !== undefined && text !== '' && stringFits(schema, text) && isOfFormat(format, text);
  if (accepts(named)) return named;
  if (format === undefined || !Object.hasOwn(formats, format)) {
    const quoted = values.quoted();
    if (accepts(quoted)) return quoted;
    const prose = proseNames.test(name) ? cut(schema, values.text) : values.properName();
    if (accepts(prose)) return prose;
  }
  const ready = [
    schema['example'],
    ...examplesOf(schema),
    format === undefined ? undefined : formats[format],
  ];
  return (
    ready.concat(shapes).find((each): each is string => typeof each === 'string' && accepts(each)) ??
    pad(schema)
  );
}

function examplesOf(schema: Schema): unknown[] {
  return Array.isArray(schema['examples']) ? (schema['examples'] as unknown[]).slice(0, 8) : [];
}

function isOfFormat(format: string | undefined, text: string): boolean {
  switch (format) {
    case 'email':
      return /^[\w.+-]+@[\w-]+(\.[\w-]+)+$/.test(text);
    case 'uri':
    case 'url':
    case 'uri-reference':
      return URL.canParse(text);
    case 'date':
      return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
    case 'date-time':
      return /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) && !Number.isNaN(Date.parse(text));
    default:
      return format === undefined || !Object.hasOwn(formats, format) || text === formats[format];
  }
}

function cut(schema: Schema, text: string): string {
  const max = Math.min(textCharsMax, readNumber(schema, 'maxLength') ?? textCharsMax);
  return Array.from(text.slice(0, textCharsMax * 2))
    .slice(0, max)
    .join('')
    .trim();
}

/** A string with the length that the schema requires, if no other string fits. */
function pad(schema: Schema): string {
  const min = Math.min(readNumber(schema, 'minLength') ?? 0, 10_000);
  const max = readNumber(schema, 'maxLength') ?? Infinity;
  return 'example'.padEnd(min, 'x').slice(0, Math.max(max, 0));
}
