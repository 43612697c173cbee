/** A parsed JSON value that keeps repeated keys. The parser in this file shares no code with the gateway. */
export type Raw = string | number | boolean | null | readonly Raw[] | RawObject;

export class RawObject {
  readonly entries: [string, Raw][] = [];
}

/** Parses JSON and keeps every member. Throws an error for text that a strict JSON parser rejects. */
export function parseRaw(text: string): Raw {
  let at = 0;
  const skip = (): void => {
    while (' \n\r\t'.includes(text[at] ?? 'x')) at += 1;
  };
  const fail = (): never => {
    throw new SyntaxError(`unexpected ${JSON.stringify(text[at])} at ${at}`);
  };
  const token = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? fail();
    at += found.length;
    return found;
  };
  const list = (end: string, each: () => void): void => {
    at += 1;
    skip();
    if (text[at] === end) {
      at += 1;
      return;
    }
    for (;;) {
      each();
      skip();
      if (text[at] === end) break;
      if (text[at] !== ',') fail();
      at += 1;
      skip();
    }
    at += 1;
  };
  const readString = (): string => JSON.parse(token(/"(?:[^"\\]|\\.)*"/y)) as string;
  const value = (): Raw => {
    skip();
    const first = text[at];
    if (first === '"') return readString();
    if (first === '[') {
      const items: Raw[] = [];
      list(']', () => items.push(value()));
      return items;
    }
    if (first !== '{') return JSON.parse(token(/[-+.\w]+/y)) as Raw;
    const object = new RawObject();
    list('}', () => {
      const key = readString();
      skip();
      if (text[at] !== ':') fail();
      at += 1;
      object.entries.push([key, value()]);
    });
    return object;
  };
  const whole = value();
  skip();
  if (at < text.length) fail();
  return whole;
}

/** The method by which a server looks up a member of a JSON object. */
export interface Parser {
  readonly name: string;
  readonly isSame: (key: string, name: string) => boolean;
  readonly wins: 'first' | 'last';
}

const exact = (key: string, name: string): boolean => key === name;
/** Go's `encoding/json` ignores letter case, and treats the long s (ſ) as s and the Kelvin sign as k. */
const folded = (key: string, name: string): boolean => foldGo(key) === foldGo(name);
const foldGo = (key: string): string => key.replaceAll('ſ', 's').replaceAll('\u212a', 'k').toLowerCase();
/** Go's `encoding/json/v2` also ignores dashes and underscores. */
const loose = (key: string, name: string): boolean => foldLoose(key) === foldLoose(name);
const foldLoose = (key: string): string => foldGo(key).replaceAll(/[-_]/g, '');

/**
 * Models of how servers parse JSON. The parsers are Python's `json`, a parser that keeps the first member,
 * and three variants of Go's parsers.
 */
export const parsers: readonly Parser[] = [
  { name: 'python', isSame: exact, wins: 'last' },
  { name: 'first wins', isSame: exact, wins: 'first' },
  { name: 'go', isSame: folded, wins: 'last' },
  { name: 'go, first wins', isSame: folded, wins: 'first' },
  { name: 'go v2', isSame: loose, wins: 'last' },
];

export function member(object: Raw | undefined, name: string, { isSame, wins }: Parser): Raw | undefined {
  if (!(object instanceof RawObject)) return undefined;
  const found = object.entries.filter(([key]) => isSame(key, name));
  return (wins === 'last' ? found.at(-1) : found[0])?.[1];
}

export function items(value: Raw | undefined): readonly Raw[] {
  return Array.isArray(value) ? (value as readonly Raw[]) : [];
}
