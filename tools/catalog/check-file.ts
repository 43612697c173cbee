import type { CatalogFileInput, ModelRecordInput } from '@gateway/model-catalog';
import type { FactList } from './fact-list.ts';
import { explainAbsence, explainMissingPrice } from './reasons.ts';
import { nameOf } from './render-file.ts';
import type { UpdateReport } from './report.ts';

/** The age in days from which the prices in a model list are considered outdated. */
export const listDaysMax = 90;

export interface CatalogFindings {
  /** Findings that block a merge. */
  readonly errors: string[];
  /** Findings that do not depend on the checkout's content, such as the age of a list. */
  readonly warnings: readonly string[];
}

/**
 * Checks a built catalogue. The catalogue must contain every model of the fact list. Each current model must
 * have a price. Each conflict between sources must have a stated reason. No list may contain an unknown
 * field. `reasons.ts` lists the exceptions to these checks.
 * @param today the current date as `YYYY-MM-DD`
 */
export function checkCatalog(
  file: CatalogFileInput,
  facts: FactList,
  report: UpdateReport,
  today: string,
): CatalogFindings {
  const current = file.models.filter((model) => isCurrent(model, today));
  return {
    errors: [
      ...listAbsent(file, facts),
      ...current
        .filter((model) => model.prices === null && explainMissingPrice(model) === undefined)
        .map((model) => `${nameOf(model)} has no price. Add it, or a reason in tools/catalog/reasons.ts.`),
      ...current.flatMap(listUnexplained),
      ...report
        .list('unknown-field')
        .map((line) => `${line}: unknown field. Read it, or ignore it by name in tools/catalog.`),
      ...report.list('unreadable').map((line) => `${line}: not readable`),
    ],
    warnings: listAges(file, today)
      .filter(({ days }) => days > listDaysMax)
      .map(
        ({ source, days }) =>
          `the list ${source} is ${String(days)} days old. Update it: docs/internals/catalogue.md`,
      ),
  };
}

function listAbsent({ models }: CatalogFileInput, facts: FactList): string[] {
  const chat = new Set(models.filter(({ kind = 'chat' }) => kind === 'chat').map(nameOf));
  return facts.all
    .filter(
      ({ provider, model }) =>
        !chat.has(`${provider}/${model}`) && explainAbsence(provider, model) === undefined,
    )
    .map(
      ({ provider, model }) =>
        `${provider}/${model} is in the fact list, but not in the catalogue. Add the reason to tools/catalog/reasons.ts.`,
    );
}

function listUnexplained(model: ModelRecordInput): string[] {
  return (model.disputes ?? [])
    .filter(({ reason }) => reason === undefined)
    .map(
      ({ field, other, source }) =>
        `${nameOf(model)}: ${field} is ${String(other)} in ${source}. Add the reason for keeping another value to tools/catalog/reasons.ts.`,
    );
}

/** Returns the age of each model list in days. Web pages with facts about single models are not model lists. */
export function listAges(
  { sources }: Pick<CatalogFileInput, 'sources'>,
  today: string,
): { readonly source: string; readonly days: number }[] {
  return ['models.dev', 'pi-ai', 'facts', 'genai-prices'].flatMap((source) => {
    const takenOn = sources[source]?.takenOn;
    if (takenOn === undefined) return [];
    return [{ source, days: Math.floor((Date.parse(today) - Date.parse(takenOn)) / 86_400_000) }];
  });
}

/**
 * Returns true if model routing can choose the model. The model must be a chat model that is neither retired
 * nor deprecated.
 */
function isCurrent({ kind = 'chat', deprecated, retiredAt }: ModelRecordInput, today: string): boolean {
  return kind === 'chat' && deprecated !== true && (retiredAt == null || retiredAt > today);
}
