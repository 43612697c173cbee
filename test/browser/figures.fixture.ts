import type { Page } from 'playwright-core';

/** What a figure of a page says: the number in it, the exact one where it is rounded, and its hint. */
export interface ShownFigure {
  /** NaN where it is no number. */
  readonly value: number;
  readonly text: string;
  readonly hint: string;
}

/** Every figure of a page, by its label. */
export async function readFigures(page: Page): Promise<Map<string, ShownFigure>> {
  const shown = await page.locator('dl > div:has(> dt)').evaluateAll((figures) =>
    figures.map((figure) => {
      const [value, hint] = figure.querySelectorAll('dd');
      const exact = value?.querySelector('[title]')?.getAttribute('title') ?? null;
      return {
        label: figure.querySelector('dt')?.textContent ?? '',
        exact,
        text: value?.textContent ?? '',
        hint: hint?.textContent ?? '',
      };
    }),
  );
  return new Map(
    shown.map(({ label, exact, text, hint }) => [label, { value: toNumber(exact ?? text), text, hint }]),
  );
}

/** `12,345 tokens` is 12345; as the pages write it for British readers. */
export function toNumber(text: string): number {
  const match = /[−-]?[\d,]+(?:\.\d+)?(?:e-?\d+)?/i.exec(text);
  return match === null ? NaN : Number(match[0].replaceAll(',', '').replace('−', '-'));
}

export interface ShownRow {
  readonly key: string;
  /** The text of each cell. */
  readonly cells: readonly string[];
  /** The exact value of each cell, where it says one. */
  readonly titles: readonly (string | null)[];
}

/** The rows of a table that are in the page: of a long one, those around what is in view. */
export function readRows(page: Page, label: string): Promise<ShownRow[]> {
  return page
    .getByRole('table', { name: label })
    .locator('[data-key]')
    .evaluateAll((rows) =>
      rows.map((row) => {
        const cells = [...row.querySelectorAll('[role=cell]')];
        return {
          key: row.getAttribute('data-key') ?? '',
          cells: cells.map((cell) => cell.textContent),
          titles: cells.map((cell) => cell.querySelector('[title]')?.getAttribute('title') ?? null),
        };
      }),
    );
}
