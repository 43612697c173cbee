import { createHash } from 'node:crypto';
import type { ToolDefinition } from '@gateway/contracts';

const verbs =
  'create list get update delete search send archive merge assign upload download schedule cancel approve export import rename move copy'.split(
    ' ',
  );
const nouns =
  'issue invoice customer order message file folder calendar event payment refund ticket branch release deployment contact report dashboard alert user team project task comment label webhook product cart shipment subscription'.split(
    ' ',
  );
const systems =
  'github stripe slack jira notion salesforce zendesk linear hubspot shopify airtable dropbox gmail asana trello'.split(
    ' ',
  );
const words =
  'the a of request result account when was it that changed before after price service under between every other value with from into more less number report because system however answer given returns whole page filter by name identifier date status owner limit optional required default'.split(
    ' ',
  );

/** Pseudo-random numbers from a linear congruential generator. The numbers are the same in every run. */
export function createDraw(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pick = (draw: (below: number) => number, from: readonly string[]): string =>
  from[draw(from.length)] ?? '';
const sentence = (draw: (below: number) => number, length: number): string =>
  Array.from({ length }, () => pick(draw, words)).join(' ');

/**
 * Creates a tool that resembles tools of public servers, with a description of about 25 words and five
 * parameters with a few words each. `id` makes the tool unique.
 */
export function makeTool(id: number): ToolDefinition {
  const draw = createDraw(id * 7919 + 17);
  const name = `${pick(draw, systems)}_${pick(draw, verbs)}_${pick(draw, nouns)}_${id}`;
  const properties = Object.fromEntries(
    Array.from({ length: 5 }, () => [
      `${pick(draw, nouns)}_${pick(draw, ['id', 'name', 'date', 'status', 'limit'])}`,
      { type: 'string', description: sentence(draw, 8) },
    ]),
  );
  const description = `${pick(draw, verbs)} ${pick(draw, nouns)} ${sentence(draw, 22)}`;
  const hash = createHash('sha256').update(`${name}\n${description}`).digest('hex');
  return { hash, name, description, parameters: { type: 'object', properties }, examples: [] };
}

export function makeTools(from: number, count: number): ToolDefinition[] {
  return Array.from({ length: count }, (_, at) => makeTool(from + at));
}

/** Creates a new user turn of about 12 words. */
export function makeTurn(id: number): string {
  const draw = createDraw(id * 104_729 + 5);
  return `Please ${pick(draw, verbs)} the ${pick(draw, nouns)} of ${pick(draw, systems)} number ${id}, ${sentence(draw, 7)}`;
}
