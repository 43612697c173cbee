/** What stands in the place of a secret. */
export const redactedText = '[redacted]';

/**
 * Shapes of secrets: our API keys and providers' (`sk-…`), credentials of an Authorization header, a password in a
 * URL. Every match consists of characters that JSON does not escape, so that a redacted line stays JSON.
 */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/\bsk-[A-Za-z0-9_-]{8,}/g, redactedText],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${redactedText}`],
  [/(:\/\/[^:/?#\s"@]{1,256}:)[^@/?#\s"]{1,256}@/g, `$1${redactedText}@`],
];

const prefixChars = 8;
const hashBits = 16;

/** Replaces secrets in texts by what they look like and by value. */
export interface SecretRedactor {
  /**
   * Makes a value unprintable from now on. At most `secretsMax` are held, the oldest goes first; values of fewer than
   * eight characters are not taken, since they would blacken words.
   */
  register(secret: string): void;
  redact(text: string): string;
}

function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let i = at; i < at + 4; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x9e3779b1);
  return hash >>> (32 - hashBits);
}

/**
 * Registered values are found in one pass over the text: a bitmap over hashes of four characters says where one may
 * begin, so that thousands of them cost no more than one.
 */
class ValueRedactor {
  readonly #secretsMax: number;
  readonly #secrets = new Set<string>();
  readonly #byPrefix = new Map<string, string[]>();
  readonly #mayBegin = new Uint8Array(1 << hashBits);

  constructor(secretsMax: number) {
    this.#secretsMax = secretsMax;
  }

  add(secret: string): void {
    if (secret.length < prefixChars) return;
    if (this.#secrets.delete(secret)) {
      this.#secrets.add(secret);
      return;
    }
    if (this.#secrets.size >= this.#secretsMax) this.#dropOldest();
    this.#secrets.add(secret);
    const prefix = secret.slice(0, prefixChars);
    const peers = [...(this.#byPrefix.get(prefix) ?? []), secret];
    // The longest first, lest the tail of a secret stay when another one is its beginning.
    this.#byPrefix.set(
      prefix,
      peers.sort((a, b) => b.length - a.length),
    );
    this.#mayBegin[hashAt(secret, 0)] = 1;
  }

  #dropOldest(): void {
    for (const secret of this.#secrets) {
      this.#secrets.delete(secret);
      const prefix = secret.slice(0, prefixChars);
      const peers = this.#byPrefix.get(prefix)?.filter((peer) => peer !== secret) ?? [];
      if (peers.length > 0) this.#byPrefix.set(prefix, peers);
      else this.#byPrefix.delete(prefix);
      return;
    }
  }

  redact(text: string): string {
    if (this.#secrets.size === 0) return text;
    let kept = '';
    let from = 0;
    for (let at = 0; at <= text.length - prefixChars; at += 1) {
      if (this.#mayBegin[hashAt(text, at)] === 0) continue;
      const found = this.#byPrefix
        .get(text.slice(at, at + prefixChars))
        ?.find((secret) => text.startsWith(secret, at));
      if (found === undefined) continue;
      kept += text.slice(from, at) + redactedText;
      from = at + found.length;
      at = from - 1;
    }
    return from === 0 ? text : kept + text.slice(from);
  }
}

export function createSecretRedactor(secretsMax = 4_096): SecretRedactor {
  const values = new ValueRedactor(secretsMax);
  return {
    register(secret) {
      values.add(secret);
      // In a JSON line a quote, a backslash or a line break stands escaped.
      const escaped = JSON.stringify(secret).slice(1, -1);
      if (escaped !== secret) values.add(escaped);
    },
    redact(text) {
      let redacted = values.redact(text);
      for (const [shape, replacement] of shapes) redacted = redacted.replace(shape, replacement);
      return redacted;
    },
  };
}

/** The redactor of this process: every logger uses it unless told otherwise. */
export const secretRedactor: SecretRedactor = createSecretRedactor();
