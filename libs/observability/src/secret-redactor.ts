/** What stands in the place of a secret. */
export const redactedText = '[redacted]';

/**
 * Shapes of secrets: our API keys and providers' (`sk-…`), tokens of people's sessions, credentials of an Authorization header, a password in a
 * URL. Every match consists of characters that JSON does not escape, so that a redacted line stays JSON.
 */
const shapes: readonly (readonly [RegExp, string])[] = [
  // Members that hold secrets by their name, at any depth; the value counts even when it looks like nothing.
  [
    /"((?:current_?|new_?)?password|apiKey|api_key|authorization|secret|sealedSecret|(?:access_?|refresh_?|session_?)?token|cookie|set-cookie)":"(?:[^"\\]|\\.)*"/gi,
    `"$1":"${redactedText}"`,
  ],
  [/\bsk-[A-Za-z0-9_-]{8,}/g, redactedText],
  // Session tokens (any JWT) and refresh tokens.
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g, redactedText],
  [/\brt-svc-[A-Za-z0-9_-]{8,}/g, redactedText],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${redactedText}`],
  [/(:\/\/[^:/?#\s"@]{1,256}:)[^@/?#\s"]{1,256}@/g, `$1${redactedText}@`],
];

/** Up to so many values are looked for one by one, which the engine does faster than any pass of ours. */
const plainSearchMax = 24;
/** Where none of these stands, no shape matches: one pass over a line instead of one a shape. */
const anyShape =
  /sk-|eyJ|rt-svc-|bearer|basic|:\/\/|"(?:(?:access_?|refresh_?|session_?)?token|(?:current_?|new_?)?password|apiKey|api_key|authorization|secret|sealedSecret|cookie|set-cookie)":/i;

const tailChars = 8;
const hashBits = 16;
const { imul } = Math;

/** Replaces secrets in texts by what they look like and by value. */
export interface SecretRedactor {
  /**
   * Makes a value unprintable from now on. At most `secretsMax` are held, the oldest goes first; values of fewer than
   * eight characters are not taken, since they would blacken words.
   */
  register(secret: string): void;
  /** Lets go of values that were last registered longer ago than this. */
  forgetOlder(ageMs: number): void;
  redact(text: string): string;
}

/** A hash of the four characters before `end`. */
function hashBefore(text: string, end: number): number {
  const first = (text.charCodeAt(end - 4) << 16) ^ text.charCodeAt(end - 3);
  const second = (text.charCodeAt(end - 2) << 16) ^ text.charCodeAt(end - 1);
  return imul(imul(first, 0x85ebca6b) ^ second, 0x9e3779b1) >>> (32 - hashBits);
}

/**
 * Registered values are found in one pass over the text: a bitmap over hashes of four characters says where one may
 * end, so that thousands of them cost no more than one. By their ends, because keys of one provider all begin alike.
 */
class ValueRedactor {
  readonly #secretsMax: number;
  /** Each with the time at which it was last registered, the oldest first. */
  readonly #secrets = new Map<string, number>();
  readonly #byTail = new Map<string, string[]>();
  readonly #mayEnd = new Uint8Array(1 << hashBits);

  constructor(secretsMax: number) {
    this.#secretsMax = secretsMax;
  }

  add(secret: string, now: number): void {
    if (secret.length < tailChars) return;
    if (this.#secrets.delete(secret)) {
      this.#secrets.set(secret, now);
      return;
    }
    if (this.#secrets.size >= this.#secretsMax) this.#dropOldest();
    this.#secrets.set(secret, now);
    const tail = secret.slice(-tailChars);
    // The longest first, lest the beginning of a secret stay when another one is its end.
    const peers = [...(this.#byTail.get(tail) ?? []), secret].sort((a, b) => b.length - a.length);
    this.#byTail.set(tail, peers);
    this.#mayEnd[hashBefore(secret, secret.length)] = 1;
  }

  dropBefore(time: number): void {
    for (const [secret, registeredAt] of this.#secrets) {
      if (registeredAt >= time) return;
      this.#drop(secret);
    }
  }

  #dropOldest(): void {
    for (const secret of this.#secrets.keys()) return this.#drop(secret);
  }

  #drop(secret: string): void {
    this.#secrets.delete(secret);
    const tail = secret.slice(-tailChars);
    const peers = this.#byTail.get(tail)?.filter((peer) => peer !== secret) ?? [];
    if (peers.length > 0) this.#byTail.set(tail, peers);
    else this.#byTail.delete(tail);
  }

  #holdsAny(text: string): boolean {
    for (const secret of this.#secrets.keys()) if (text.includes(secret)) return true;
    return false;
  }

  redact(text: string): string {
    if (this.#secrets.size <= plainSearchMax && !this.#holdsAny(text)) return text;
    const mayEnd = this.#mayEnd;
    let kept = '';
    let from = 0;
    for (let end = tailChars; end <= text.length; end += 1) {
      if (mayEnd[hashBefore(text, end)] === 0) continue;
      const found = this.#byTail
        .get(text.slice(end - tailChars, end))
        ?.find((secret) => text.startsWith(secret, end - secret.length));
      if (found === undefined) continue;
      const start = end - found.length;
      // One that begins within what was replaced already only makes that longer.
      if (start >= from) kept += text.slice(from, start) + redactedText;
      from = end;
    }
    return from === 0 ? text : kept + text.slice(from);
  }
}

export function createSecretRedactor(secretsMax = 4_096, now: () => number = Date.now): SecretRedactor {
  const values = new ValueRedactor(secretsMax);
  return {
    register(secret) {
      values.add(secret, now());
      // In a JSON line a quote, a backslash or a line break stands escaped.
      const escaped = JSON.stringify(secret).slice(1, -1);
      if (escaped !== secret) values.add(escaped, now());
    },
    forgetOlder: (ageMs) => values.dropBefore(now() - ageMs),
    redact(text) {
      let redacted = values.redact(text);
      if (!anyShape.test(redacted)) return redacted;
      for (const [shape, replacement] of shapes) redacted = redacted.replace(shape, replacement);
      return redacted;
    },
  };
}

/** The redactor of this process: every logger uses it unless told otherwise. */
export const secretRedactor: SecretRedactor = createSecretRedactor();
