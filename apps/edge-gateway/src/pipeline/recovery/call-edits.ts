import type { ByteEdit } from '@gateway/interchange';
import type { CallPlace } from '@gateway/wire-formats';
import { renderStandInCall } from './parse-stand-in-call.ts';

/**
 * The transcript's calls of tools that are left out, as calls of the stand-in: a pure function of the transcript, so that
 * every later turn says the same.
 */
export function renderCallEdits(
  places: readonly CallPlace[],
  standInName: string,
  isLeftOut: (name: string) => boolean,
): ByteEdit[] {
  const edits = places
    .filter(({ name }) => isLeftOut(name))
    .flatMap((place): ByteEdit[] => {
      const call = renderStandInCall(place.name, place.argumentsText());
      return [
        { ...place.nameRange, replacement: JSON.stringify(standInName) },
        { ...place.argumentsRange, replacement: place.isText ? JSON.stringify(call) : call },
      ];
    });
  return edits.sort((one, other) => one.start - other.start);
}
