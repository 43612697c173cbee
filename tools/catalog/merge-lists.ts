import type { FactList } from './fact-list.ts';
import type { ModelsDev, Tree } from './models-dev.ts';
import { overlayFacts } from './overlay-facts.ts';
import { overlayPackageModel, type PackageList } from './package-list.ts';

/** Models in the models.dev format, with the lists that contain each model. */
export interface MergedList extends ModelsDev {
  /** Returns the keys of the model lists that contain the model, newest list first. */
  sourcesOf(provider: string, modelId: string): readonly string[];
}

/** A list that changes the models of an older list or adds models. */
interface Overlay {
  readonly source: string;
  /** The date of the list, as `YYYY-MM-DD`. */
  readonly takenOn: string;
  readonly modelsOf: (provider: string) => ReadonlyMap<string, (own: Tree | undefined) => Tree>;
}

export function overlayOfPackage(list: PackageList, takenOn: string): Overlay {
  return {
    source: 'pi-ai',
    takenOn,
    modelsOf: (provider) =>
      new Map(
        [...list.modelsOf(provider)].map(([id, model]) => [id, (own) => overlayPackageModel(own, model)]),
      ),
  };
}

export function overlayOfFacts(list: FactList, takenOn: string): Overlay {
  return {
    source: 'facts',
    takenOn,
    modelsOf: (provider) =>
      new Map(list.modelsOf(provider).map((fact) => [fact.model, (own) => overlayFacts(own, fact)])),
  };
}

/** Merges model lists. If the lists disagree, the newest list takes precedence. */
export function mergeLists(base: ModelsDev, overlays: readonly Overlay[]): MergedList {
  const byAge = overlays.toSorted((a, b) => (a.takenOn < b.takenOn ? -1 : 1));
  const merged = new Map<string, ReadonlyMap<string, Entry>>();
  const entriesOf = (provider: string): ReadonlyMap<string, Entry> => {
    const found = merged.get(provider) ?? mergeProvider(base.modelsOf(provider), byAge, provider);
    merged.set(provider, found);
    return found;
  };
  return {
    ...base,
    modelsOf: (provider) => {
      const entries = entriesOf(provider);
      return entries.size === 0 ? undefined : new Map([...entries].map(([id, { own }]) => [id, own]));
    },
    sourcesOf: (provider, modelId) => entriesOf(provider).get(modelId)?.sources ?? [],
  };
}

interface Entry {
  readonly own: Tree;
  readonly sources: readonly string[];
}

function mergeProvider(
  listed: ReadonlyMap<string, Tree> | undefined,
  overlays: readonly Overlay[],
  provider: string,
): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const [id, own] of listed ?? []) entries.set(id, { own, sources: ['models.dev'] });
  for (const { source, modelsOf } of overlays) {
    for (const [id, change] of modelsOf(provider)) {
      const before = entries.get(id);
      entries.set(id, { own: change(before?.own), sources: [source, ...(before?.sources ?? [])] });
    }
  }
  return entries;
}
