/** Values found in a message. Each value is used once, and values are used in the order of the message. */
export class MessageValues {
  readonly text: string;
  readonly #quoted: string[];
  readonly #numbers: number[];
  readonly #slug: RegExpExecArray | null;

  constructor(text: string) {
    this.text = text.trim();
    this.#quoted = [...text.matchAll(/"([^"\n]{1,500})"|“([^“”\n]{1,500})”|`([^`\n]{1,500})`/g)].map(
      ([, straight, curly, code]) => straight ?? curly ?? code ?? '',
    );
    this.#numbers = [...text.matchAll(/(?<![\w.])-?\d{1,15}(?:\.\d{1,6})?(?![\w.]*\w)/g)].map(Number);
    this.#slug = /(?<![\w/.:-])([A-Za-z0-9][\w.-]{0,63})\/([A-Za-z0-9][\w.-]{0,99})(?![\w/])/.exec(text);
  }

  /** Returns the next quoted string in the message. */
  quoted(): string | undefined {
    return this.#quoted.shift();
  }

  /** Returns the next number in the message that satisfies `fits`. */
  number(fits: (value: number) => boolean): number | undefined {
    const at = this.#numbers.findIndex(fits);
    return at === -1 ? undefined : this.#numbers.splice(at, 1)[0];
  }

  /**
   * Finds a property's value in the message. Examples are `owner` and `repo` in "octo/hello", an email or
   * web address, and the title in "title: Hello".
   */
  named(property: string): string | undefined {
    const name = property.toLowerCase();
    if (/^owner$|^org/.test(name)) return this.#slug?.[1] ?? this.#after(name);
    if (/^repo/.test(name)) return this.#slug?.[2] ?? this.#after(name);
    if (/e-?mail/.test(name)) return /(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]*\w/.exec(this.text)?.[0];
    if (/url|uri|link/.test(name)) return /https?:\/\/[^\s"'<>]+/.exec(this.text)?.[0];
    if (/date|day/.test(name)) return /\b\d{4}-\d{2}-\d{2}\b/.exec(this.text)?.[0];
    return this.#after(name);
  }

  /** Returns the quoted string after the property's name, or the word after a colon, "=", "is" or "named". */
  #after(name: string): string | undefined {
    const spoken = name.replace(/[^a-z0-9]+/g, ' ').trim();
    const at = spoken === '' ? -1 : this.text.toLowerCase().indexOf(spoken);
    if (at === -1) return undefined;
    const rest = this.text.slice(at + spoken.length, at + spoken.length + 600);
    const quoted = /^(?:d|ed)?\s*(?:(?:[:=]|is\b|named\b|called\b)\s*)?["“`]([^"”`\n]{1,500})["”`]/i.exec(
      rest,
    )?.[1];
    return quoted ?? /^\s*(?:[:=]|is\b|named\b|called\b)\s*([^\s"'`,;]+)/i.exec(rest)?.[1];
  }

  /** Returns a name in the message, which is the first capitalized word that does not start the message. */
  properName(): string | undefined {
    return /\S\s+(\p{Lu}[\p{L}\p{N}-]+)/u.exec(this.text)?.[1];
  }
}
