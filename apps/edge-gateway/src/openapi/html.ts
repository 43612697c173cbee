/** Markup that is already safe to stand in a page. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Html | readonly Html[] | undefined;

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

/** A template whose values are escaped, unless they are markup themselves. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const rendered = values.map((value) => {
    if (value === undefined) return '';
    if (value instanceof Html) return value.text;
    if (Array.isArray(value)) return (value as readonly Html[]).map(({ text }) => text).join('');
    return escapeHtml(String(value));
  });
  return new Html(parts.map((part, at) => part + (rendered[at] ?? '')).join(''));
}

/** Text with paragraphs and `code`, as descriptions are written. */
export function renderText(text: string | undefined): Html {
  const paragraphs = (text ?? '').split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '');
  return new Html(
    paragraphs
      .map((paragraph) => `<p>${escapeHtml(paragraph).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>`)
      .join('\n'),
  );
}
