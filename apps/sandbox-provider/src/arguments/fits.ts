import { readNumber, typeOf, type Schema } from './schema.ts';

/** A pattern of a caller may take exponential time: it is only tried on short texts. */
const patternTextCharsMax = 24;
const patternCharsMax = 500;

function matchesPattern(pattern: unknown, text: string): boolean {
  if (typeof pattern !== 'string') return true;
  if (pattern.length > patternCharsMax || text.length > patternTextCharsMax) return false;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

export function stringFits(schema: Schema, text: string): boolean {
  const { length } = Array.from(text);
  return (
    length >= (readNumber(schema, 'minLength') ?? 0) &&
    length <= (readNumber(schema, 'maxLength') ?? Infinity) &&
    matchesPattern(schema['pattern'], text)
  );
}

/** Also knows draft 4, where `exclusiveMinimum: true` qualifies `minimum`. */
export function numberFits(schema: Schema, value: number): boolean {
  const minimum = readNumber(schema, 'minimum') ?? -Infinity;
  const maximum = readNumber(schema, 'maximum') ?? Infinity;
  const above =
    readNumber(schema, 'exclusiveMinimum') ?? (schema['exclusiveMinimum'] === true ? minimum : -Infinity);
  const below =
    readNumber(schema, 'exclusiveMaximum') ?? (schema['exclusiveMaximum'] === true ? maximum : Infinity);
  const step = readNumber(schema, 'multipleOf');
  return (
    value >= minimum &&
    value <= maximum &&
    (value > above || above === -Infinity) &&
    (value < below || below === Infinity) &&
    (typeOf(schema) !== 'integer' || Number.isInteger(value)) &&
    (step === undefined || step <= 0 || Math.abs(value / step - Math.round(value / step)) < 1e-9)
  );
}

/** Whether a default or an example of a schema is what the schema itself asks for: often it is not. */
export function scalarFits(schema: Schema, value: unknown): boolean {
  switch (typeOf(schema)) {
    case 'string':
      return typeof value === 'string' && stringFits(schema, value);
    case 'number':
    case 'integer':
      return typeof value === 'number' && numberFits(schema, value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    default:
      return false;
  }
}
