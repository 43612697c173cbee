/** The text that replaces a secret. */
export const redactedText = '[redacted]';

/**
 * Every known credential contains at least one of these strings. A text without any of these strings contains
 * no known credential. For most texts, this single search makes the search for each pattern unnecessary.
 */
const anyMark =
  /sk-|sk_|rk_|eyJ|[rm]t-svc-|bearer|basic|:\/\/|AKIA|ASIA|AIza|gsk_|xai-|pplx-|nvapi-|hf_|r8_|fw_|tgp_v1_|ABSK|gh[pousr]_|xox|ya29\.|PRIVATE KEY|"(?:(?:current|new)_?password|password|x?-?api[_-]?key|authorization|(?:client_?)?secret|sealedsecret|(?:access_?|refresh_?|session_?)?token|(?:set-)?cookie|private_?key|secret_?access_?key)"/i;

/**
 * Patterns for credentials with a well-known form, which apply to all accounts. Account data does not change
 * the patterns. The patterns come from the providers' documentation and
 * https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns.
 * Each pattern starts with a fixed string or with a character class that cannot match again inside a match.
 * Each pattern takes linear time, which `npm run test:fuzz -- linear-time` checks.
 */
const patterns: readonly (readonly [RegExp, string])[] = [
  // JSON members that contain secrets. The values of JSON members that contain secrets are always redacted.
  [
    /("(?:(?:current|new)_?password|password|(?:x-)?api[_-]?key|authorization|(?:client_?)?secret|sealedsecret|(?:access_?|refresh_?|session_?)?token|(?:set-)?cookie|private_?key|secret_?access_?key)"\s*:\s*)"[^"\\]*(?:\\[^][^"\\]*)*"/gi,
    `$1"${redactedText}"`,
  ],
  // Private keys in PEM format, with line breaks or with escaped line breaks.
  [/-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*/g, redactedText],
  // The gateway's API keys and refresh tokens, and API keys from OpenAI, Anthropic, OpenRouter, DeepSeek and others.
  [/\b(?:sk-|[rm]t-svc-)[A-Za-z0-9_-]{8,}/g, redactedText],
  [/\b[sr]k_(?:live|test)_[A-Za-z0-9]{8,}/g, redactedText],
  // AWS access key ids and Amazon Bedrock API keys.
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, redactedText],
  [/\bABSK[A-Za-z0-9+/=]{40,}/g, redactedText],
  // API keys from Google, Groq, xAI, Perplexity, NVIDIA, Hugging Face and Replicate.
  // API keys and tokens from Fireworks, Together, GitHub and Slack.
  [/\bAIza[A-Za-z0-9_-]{35}/g, redactedText],
  [/\bya29\.[A-Za-z0-9_.-]{20,}/g, redactedText],
  [/\b(?:gsk_|xai-|pplx-|nvapi-|hf_|r8_|fw_|tgp_v1_|gh[pousr]_)[A-Za-z0-9_-]{24,}/g, redactedText],
  [/\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g, redactedText],
  // Authorization headers, and passwords in URLs.
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${redactedText}`],
  [/(:\/\/[^:/?#\s"@]{1,256}:)[^@/?#\s"]{1,256}@/g, `$1${redactedText}@`],
];

/** Redacts credentials that have a known form. The running time is linear in the length of the text. */
export function redactPatterns(text: string): string {
  if (!anyMark.test(text)) return text;
  let redacted = redactTokens(text);
  for (const [pattern, replacement] of patterns) redacted = redacted.replace(pattern, replacement);
  return redacted;
}

const tokenStart = 'eyJ';
const afterWord = /[A-Za-z0-9_]/;
const token = /eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/y;
const run = /[A-Za-z0-9_-]*/y;

/**
 * Redacts JSON web tokens, which consist of three base64url parts separated by dots. The first part starts
 * with `eyJ`, the encoded start of a JSON object. If an `eyJ` does not start a token, no other `eyJ` in the
 * same run of token characters starts a token. The search then continues after the run, so each run is
 * scanned only once.
 */
function redactTokens(text: string): string {
  let kept = '';
  let from = 0;
  let at = text.indexOf(tokenStart);
  while (at >= 0) {
    let next = at + tokenStart.length;
    if (at === 0 || !afterWord.test(text.charAt(at - 1))) {
      token.lastIndex = at;
      if (token.test(text)) {
        kept += text.slice(from, at) + redactedText;
        from = next = token.lastIndex;
      } else {
        run.lastIndex = at;
        run.test(text);
        next = run.lastIndex;
      }
    }
    at = text.indexOf(tokenStart, next);
  }
  return from === 0 ? text : kept + text.slice(from);
}

/** Names of fields that contain secrets, in lower case and without separators. */
const secretNames: ReadonlySet<string> = new Set(
  `password currentpassword newpassword apikey xapikey authorization proxyauthorization secret clientsecret
   sealedsecret token accesstoken refreshtoken sessiontoken cookie setcookie privatekey secretaccesskey`.split(
    /\s+/,
  ),
);
const separators = /[_-]/g;
/**
 * Maximum length of a field name that can indicate a secret. The maximum limits the time for checking field
 * names.
 */
const nameCharsMax = 24;

/** Whether a field with this name contains a secret, regardless of the value. */
export function isSecretName(name: string): boolean {
  return name.length <= nameCharsMax && secretNames.has(name.toLowerCase().replace(separators, ''));
}
