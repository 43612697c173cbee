import { RegExpParser, visitRegExpAST, type AST } from '@eslint-community/regexpp';

/**
 * Texts that were used in attacks on the gateway, and texts that slow down parsers of its
 * formats.
 */
const known = [
  'eyJaaaaaaaa-',
  'eyJaaaaaaaa.',
  'sk-aaaaaa ',
  'bearer \t',
  '"token":"\\"',
  '://a:',
  '-----BEGIN A',
  ' \t',
  '\r',
  '\n\r',
  '\\',
  '"\\',
  '{"a":',
  '[',
  'a',
  'A1',
  '<!--',
  '```',
  '| ',
  '\u0000',
  'é',
  '\ud83d',
];

/** Characters that few regular expressions match. A text that ends with such a character usually has no match. */
const endings = ['', '\u0000', '!', '\n'];
const choicesMax = 6;
const charactersMax = 10;

/**
 * A text that repeats a piece in order to slow down a regular expression. The pieces are matches, beginnings of
 * matches (near misses), repeated parts of the expression, single characters, alternating characters, and known
 * attacks. Each piece is repeated until the text has the given length. The text's ending prevents a match.
 */
export interface Attack {
  readonly before: string;
  readonly piece: string;
  readonly after: string;
}

export function renderAttack({ before, piece, after }: Attack, chars: number): string {
  const times = Math.max(1, Math.floor((chars - before.length - after.length) / piece.length));
  // Joins the pieces into a single flat string.
  // Otherwise, V8 would flatten the linked string (a rope) during the measurement.
  return Buffer.from(before + piece.repeat(times) + after, 'utf16le').toString('utf16le');
}

/** Lists the attacks to try on a regular expression. */
export function listAttacks(source: string, flags: string): Attack[] {
  const pattern = new RegExpParser().parsePattern(source, undefined, undefined, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const sampler = new Sampler(flags);
  const pieces = new Set<string>(known);
  const attacks: Attack[] = [];
  for (const alternative of pattern.alternatives.slice(0, choicesMax)) {
    const parts = alternative.elements.map((element) => sampler.sample(element));
    for (let end = 1; end <= parts.length; end += 1) pieces.add(parts.slice(0, end).join(''));
    for (const [at, element] of alternative.elements.entries())
      for (const repeated of sampler.repeated(element)) {
        const before = parts.slice(0, at).join('');
        for (const after of endings) attacks.push({ before, piece: repeated, after });
        for (const times of [40, 1_500]) pieces.add(before + repeated.repeat(times));
      }
  }
  const characters = sampler.characters(pattern);
  for (const one of characters) {
    pieces.add(one);
    for (const other of characters) if (one !== other) pieces.add(one + other);
  }
  for (const piece of pieces) if (piece !== '') attacks.push({ before: '', piece, after: '\u0000' });
  return attacks.filter(({ piece }) => piece !== '');
}

const candidates = [
  'a',
  'A',
  '0',
  ' ',
  '-',
  '_',
  '.',
  '/',
  '"',
  '\\',
  '\n',
  '\t',
  '=',
  'é',
  '一',
  '{',
  '\u0001',
];

/** Writes texts that match parts of a regular expression. */
class Sampler {
  readonly #flags: string;

  constructor(flags: string) {
    this.#flags = flags.replace(/[gy]/g, '');
  }

  /** Returns a short text that matches the element. Assertions match an empty text. */
  sample(element: AST.Element): string {
    switch (element.type) {
      case 'Character':
        return String.fromCodePoint(element.value);
      case 'CharacterClass':
      case 'CharacterSet':
      case 'ExpressionCharacterClass':
        return this.#oneOf(element);
      case 'Group':
      case 'CapturingGroup':
        return this.#sampleAll(element.alternatives[0]?.elements ?? []);
      case 'Quantifier':
        return this.sample(element.element).repeat(Math.min(Math.max(element.min, 1), 40));
      default:
        return '';
    }
  }

  /** Returns texts that match the repeated parts within an element of a regular expression. */
  repeated(element: AST.Element): string[] {
    if (element.type === 'Quantifier') {
      const own = element.max > 8 ? this.#variants(element.element) : [];
      return [...own, ...this.repeated(element.element)];
    }
    if (element.type === 'Group' || element.type === 'CapturingGroup' || isLook(element))
      return element.alternatives
        .slice(0, choicesMax)
        .flatMap(({ elements }) => elements.flatMap((part) => this.repeated(part)));
    return [];
  }

  /** Returns one character for each character class of the regular expression. */
  characters(pattern: AST.Pattern): string[] {
    const found = new Set<string>();
    visitRegExpAST(pattern, {
      onCharacterClassEnter: (node) => found.add(this.#oneOf(node)),
      onCharacterSetEnter: (node) => found.add(this.#oneOf(node)),
      onCharacterEnter: (node) => found.add(String.fromCodePoint(node.value)),
    });
    return [...found].filter((one) => one !== '').slice(0, charactersMax);
  }

  #variants(element: AST.Element): string[] {
    if (element.type !== 'Group' && element.type !== 'CapturingGroup') return [this.sample(element)];
    return element.alternatives.slice(0, choicesMax).map(({ elements }) => this.#sampleAll(elements));
  }

  #sampleAll(elements: readonly AST.Element[]): string {
    return elements.map((part) => this.sample(part)).join('');
  }

  #oneOf(node: AST.Element): string {
    const one = new RegExp(`^(?:${node.raw})$`, this.#flags);
    const found = candidates.find((candidate) => one.test(candidate));
    if (found !== undefined) return found;
    for (let code = 0; code < 0x3000; code += 1)
      if (one.test(String.fromCharCode(code))) return String.fromCharCode(code);
    return '';
  }
}

function isLook(element: AST.Element): element is AST.LookaroundAssertion {
  return element.type === 'Assertion' && (element.kind === 'lookahead' || element.kind === 'lookbehind');
}
