import type { CatalogModel } from '@gateway/model-catalog';
import type { ListedModel } from '../choice/question.ts';
import { rateQuality } from './quality-prior.ts';

/** The chat models of a catalogue as they may be chosen, by provider. Some tens of milliseconds: once a process. */
export function listModels(models: readonly CatalogModel[]): ReadonlyMap<string, readonly ListedModel[]> {
  const chat = models.filter(({ kind }) => kind === 'chat');
  const listed = new Map<string, ListedModel[]>();
  for (const [model, quality] of rateQuality(chat)) {
    const ofProvider = listed.get(model.provider) ?? [];
    listed.set(model.provider, ofProvider);
    ofProvider.push({ model, id: `${model.provider}/${model.modelId}`, quality });
  }
  return listed;
}
