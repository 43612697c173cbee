/** The text that replaces a secret. */
export const redactedText = '[redacted]';

/**
 * A session token (any JWT): three base64url parts separated by dots. The first part starts with `eyJ`, the
 * encoded start of a JSON object. The group captures the text before it.
 *
 * The lookbehind and the lookahead allow a match only at the start of a run of these characters that ends with
 * the dots of a JWT. Otherwise a long run without a dot would be rescanned from every `eyJ`, which takes
 * quadratic time. The length limit on the run keeps the regular expression from backtracking over a long one.
 */
const jwt =
  /(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]{11,16384}\.[A-Za-z0-9_-]{4,}\.)([A-Za-z0-9_-]*?)\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g;

/**
 * Secret patterns: gateway and provider API keys (`sk-…`), session tokens, Authorization header credentials,
 * and passwords in URLs. Every match consists of characters that JSON does not escape, so a redacted line
 * remains valid JSON.
 */
const shapes: readonly (readonly [RegExp, string])[] = [
  // Names of fields that hold secrets, at any depth. Their values are always redacted.
  [
    /"((?:current_?|new_?)?password|apiKey|api_key|authorization|secret|sealedSecret|(?:access_?|refresh_?|session_?)?token|cookie|set-cookie)":"(?:[^"\\]|\\.)*"/gi,
    `"$1":"${redactedText}"`,
  ],
  [jwt, `$1${redactedText}`],
  [/\bsk-[A-Za-z0-9_-]{8,}/g, redactedText],
  // Refresh tokens.
  [/\brt-svc-[A-Za-z0-9_-]{8,}/g, redactedText],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${redactedText}`],
  [/(:\/\/[^:/?#\s"@]{1,256}:)[^@/?#\s"]{1,256}@/g, `$1${redactedText}@`],
];

/**
 * Up to this many values are searched for one by one, which the engine does faster than this code's single
 * pass.
 */
const plainSearchMax = 24;
/**
 * Text without any of these strings cannot match a pattern. A single pass over the line thus replaces one
 * pass per pattern.
 */
const anyShape =
  /sk-|eyJ|rt-svc-|bearer|basic|:\/\/|"(?:(?:access_?|refresh_?|session_?)?token|(?:current_?|new_?)?password|apiKey|api_key|authorization|secret|sealedSecret|cookie|set-cookie)":/i;

const tailChars = 8;
const hashBits = 16;
const { imul } = Math;

/** Redacts secrets in text, by pattern and by value. */
export interface SecretRedactor {
  /**
   * Registers a value to redact from now on. At most `secretsMax` values are held; the oldest is dropped
   * first. Values shorter than eight characters are ignored, because they would match ordinary words.
   */
  register(secret: string): void;
  /** Removes values that were last registered longer ago than this. */
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
 * Finds registered values in a single pass over the text. A bitmap over four-character hashes marks possible
 * value endings, so thousands of values cost no more than one. Endings are used because all keys from a
 * provider start alike.
 */
class ValueRedactor {
  readonly #secretsMax: number;
  /** Values with the time of their last registration, oldest first. */
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
    // Longest first. Otherwise, if one secret is a suffix of another, the start of the longer one would
    // remain.
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
      // A match that starts inside an already replaced one only extends it.
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
      // In a JSON line, quotes, backslashes and line breaks are escaped.
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

/** The process-wide redactor. Every logger uses it by default. */
export const secretRedactor: SecretRedactor = createSecretRedactor();
