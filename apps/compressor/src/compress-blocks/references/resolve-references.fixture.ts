import { blockLabelOf, labelOf, parseReference, type Reference } from './references.ts';

/**
 * Replaces references with the referenced text. Like the model, the function sees only sent blocks. Only tests
 * and evaluations use this function. Throws an error if a reference matches no text or several different texts.
 * @param sent the blocks that precede the text in the conversation, in order.
 */
export function resolveReferences(sent: readonly string[], text: string): string {
  const resolved: string[] = [];
  // A reference may also refer to earlier lines in its own block.
  // A run of lines that a reference replaces never contains another reference.
  const own: string[] = [];
  for (const line of text.split('\n')) {
    const reference = parseReference(line);
    const found = reference === undefined ? undefined : resolve(reference, [...sent, own.join('\n')]);
    resolved.push(found ?? line);
    own.push(line);
  }
  return resolved.join('\n');
}

function resolve(reference: Reference, sent: readonly string[]): string {
  const found = reference.kind === 'block' ? findBlocks(reference, sent) : findRuns(reference, sent);
  const [only, another] = [...found];
  if (only === undefined || another !== undefined) {
    throw new Error(`${found.size} texts match the reference ${JSON.stringify(reference)}`);
  }
  return only;
}

function findBlocks(
  { label, place }: Extract<Reference, { kind: 'block' }>,
  sent: readonly string[],
): Set<string> {
  const alike = new Set(sent.filter((text) => blockLabelOf(text) === label && isInFull(text)));
  const meant = [...alike][place - 1];
  return new Set(meant === undefined ? [] : [meant]);
}

function isInFull(text: string): boolean {
  return !text.split('\n').some((line) => parseReference(line) !== undefined);
}

function findRuns(
  { first, last, count }: Extract<Reference, { kind: 'run' }>,
  sent: readonly string[],
): Set<string> {
  const runs = new Set<string>();
  for (const text of sent) {
    const lines = text.split('\n');
    lines.forEach((line, at) => {
      const run = lines.slice(at, at + count);
      if (run.length < count || labelOf(line) !== first || labelOf(run.at(-1) ?? '') !== last) return;
      if (run.every((one) => parseReference(one) === undefined)) runs.add(run.join('\n'));
    });
  }
  return runs;
}
