/**
 * Thinking that is shown to nobody. The format writes it as base64 of the model's own bytes, which for Claude are the
 * text that its own API calls `data`: https://platform.claude.com/docs/en/build-with-claude/extended-thinking. That text
 * is what the interchange carries; bytes of another model, which are no text, stay in base64.
 */
const base64Text = /^[A-Za-z0-9+/=_-]+$/;

export interface RedactedThinking {
  readonly redacted: string;
  readonly isBase64: boolean;
}

export function parseRedacted(base64: string): RedactedThinking {
  const text = Buffer.from(base64, 'base64').toString('latin1');
  const isText = base64Text.test(text) && renderRedacted(text) === base64;
  return isText ? { redacted: text, isBase64: false } : { redacted: base64, isBase64: true };
}

export function renderRedacted(text: string): string {
  return Buffer.from(text, 'latin1').toString('base64');
}
