/** HTML markup that is already escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Markup | readonly Markup[] | undefined;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** A template tag that renders HTML. Interpolated values are escaped unless they are already markup. */
export function markup(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const rendered = values.map(renderValue);
  return new Markup(parts.map((part, at) => part + (rendered[at] ?? '')).join(''));
}

function renderValue(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escapeHtml(String(value));
}

/** Renders the paragraphs and inline `code` that descriptions may contain. */
export function renderText(text: string | undefined): Markup {
  const paragraphs = (text ?? '').split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '');
  return new Markup(
    paragraphs
      .map((paragraph) => `<p>${escapeHtml(paragraph).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>`)
      .join('\n'),
  );
}
