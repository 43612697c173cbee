import type { RequestLogEntry } from '@gateway/contracts';
import type { Page } from 'playwright-core';

/**
 * A number shown on a dashboard page, with its text and hint. If the page rounds the number, `value` is the
 * exact number.
 */
export interface ShownFigure {
  /** The figure's number, or NaN if the figure has no number. */
  readonly value: number;
  readonly text: string;
  readonly hint: string;
}

/** Returns all figures on a dashboard page, by label. */
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

/** Parses numbers in the en-GB format of the test browser. For example, `12,345 tokens` is 12345. */
export function toNumber(text: string): number {
  const match = /[−-]?[\d,]+(?:\.\d+)?(?:e-?\d+)?/i.exec(text);
  return match === null ? NaN : Number(match[0].replaceAll(',', '').replace('−', '-'));
}

export interface ShownRow {
  readonly key: string;
  /** The text in each cell of a table row. */
  readonly cells: readonly string[];
  /** The exact number in each cell, or null for a cell without an exact number. */
  readonly titles: readonly (string | null)[];
}

/** Returns the rendered rows of a table. In a long table, only the rows near the visible area are rendered. */
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

type Saved = Pick<RequestLogEntry, 'tool_tokens_saved' | 'compression_tokens_saved' | 'recovery_tokens'>;
/**
 * Returns the tokens saved. The dashboard defines tokens saved as measured savings less the cost of recovery
 * rounds.
 */
export const savedOf = (row: { readonly [Field in keyof Saved]: number | null }): number =>
  row.tool_tokens_saved! + row.compression_tokens_saved! - row.recovery_tokens!;
