import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/bootstrap/stack/root.ts';

export { root };

export interface Instruction {
  /** The instruction's keyword, such as `COPY` or `RUN`. */
  readonly keyword: string;
  readonly text: string;
}

export interface Stage {
  readonly name: string;
  /** The parent stage or image. */
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

/**
 * Parses the Dockerfile's stages by name. The parser supports only the syntax that the repository's
 * Dockerfile uses.
 */
export function readStages(): Map<string, Stage> {
  const lines = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages = new Map<string, { name: string; from: string; instructions: Instruction[] }>();
  let current: { name: string; from: string; instructions: Instruction[] } | undefined;
  for (const line of lines) {
    const [keyword = '', ...rest] = line.trim().split(/\s+/);
    if (keyword === 'FROM') {
      const [from = '', , name = ''] = rest;
      stages.set(name, (current = { name, from, instructions: [] }));
    } else current?.instructions.push({ keyword, text: line.trim().slice(keyword.length).trim() });
  }
  return stages;
}

export function stageOf(stages: ReadonlyMap<string, Stage>, name: string): Stage {
  const stage = stages.get(name);
  if (stage === undefined) throw new Error(`The Dockerfile has no stage ${name}.`);
  return stage;
}

/** Returns the arguments of the last instruction with the given keyword in a stage. */
export function findInstruction({ name, instructions }: Stage, keyword: string): string {
  const found = instructions.findLast((each) => each.keyword === keyword);
  if (found === undefined) throw new Error(`The stage ${name} has no ${keyword}.`);
  return found.text;
}

/** Parses the words of an instruction's JSON form, for example of CMD. */
export function parseWords(text: string): string[] {
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}

/** Returns the environment variables that a build stage sets. `${APP}` is the build argument. */
export function listVariables(stage: Stage, app: string): Record<string, string> {
  return Object.fromEntries(
    stage.instructions
      .filter(({ keyword }) => keyword === 'ENV')
      .flatMap(({ text }) => text.split(/\s+/))
      .map((pair) => pair.replaceAll('${APP}', app).split(/=(.*)/s) as [string, string]),
  );
}
