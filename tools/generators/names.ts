/** A name in all spellings that the generated files use. */
export interface Names {
  /** The spelling with hyphens, such as rotate-key. */
  readonly kebab: string;
  /** The spelling in camel case, such as rotateKey. */
  readonly camel: string;
  /** The spelling in Pascal case, such as RotateKey. */
  readonly pascal: string;
  /** The spelling as the start of a sentence, such as Rotate key. */
  readonly sentence: string;
}

/**
 * Parses a name and returns it in every spelling.
 * @throws Error unless the text consists of lower-case words joined by hyphens
 */
export function parseName(text: string): Names {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text)) {
    throw new Error(`"${text}" is not lower-case words joined by hyphens`);
  }
  const words = text.split('-');
  const pascal = words.map(capitalise).join('');
  return {
    kebab: text,
    camel: pascal.charAt(0).toLowerCase() + pascal.slice(1),
    pascal,
    sentence: capitalise(words.join(' ')),
  };
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
