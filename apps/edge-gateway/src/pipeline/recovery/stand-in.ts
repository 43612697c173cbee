import type { StandIn } from './safety-net.ts';

/** The stand-in's name, unless a tool of the client's has it. */
const ownName = 'svc_more_tools';

/** What may be asked of a stand-in: the members of its arguments. */
export interface StandInOffer {
  /** Names of the tools that it stands for, in the client's order. */
  readonly names: readonly string[];
  /** Every name in the client's list, those too that the key may not use. */
  readonly taken: ReadonlySet<string>;
  /** Whether it brings back what was left out of the conversation. */
  readonly recalls: boolean;
}

const text = { type: 'string' } as const;

/** OpenAI and Azure refuse a tool whose description is longer (`string_above_max_length`). */
const descriptionCharactersMax = 1024;

/**
 * The tool that stands for those that are left out. A pure function of the names: as long as they are the same, so is it,
 * byte for byte. Names that are too many for the description stand with the parameter that takes them.
 */
export function renderStandIn({ names, taken, recalls }: StandInOffer): StandIn {
  const standsForTools = names.length > 0;
  const listed = names.join(', ');
  const spoken = [standsForTools ? [tellTools, listed] : [], recalls ? [tellOriginals] : []].flat();
  const isWhole = spoken.join('\n').length <= descriptionCharactersMax;
  return {
    kind: 'function',
    name: chooseName(taken),
    description: (isWhole ? spoken : spoken.filter((line) => line !== listed)).join('\n'),
    parameters: {
      type: 'object',
      properties: {
        action: {
          ...text,
          enum: [standsForTools ? ['describe', 'call'] : [], recalls ? ['original'] : []].flat(),
        },
        ...(standsForTools ? parametersOfTools(isWhole ? '' : `. There are: ${listed}`) : {}),
        ...(recalls ? { id: { ...text, description: 'original: the id in the marker' } } : {}),
      },
      required: ['action'],
    },
  };
}

function parametersOfTools(rest: string): Record<string, object> {
  return {
    names: { type: 'array', items: text, description: `describe: names of tools${rest}` },
    need: { ...text, description: 'describe: what a tool is needed for, where its name is not known' },
    name: { ...text, description: 'call: the tool' },
    arguments: { type: 'object', description: 'call: its arguments, as its definition says' },
  };
}

const tellTools =
  'More tools, which are not in the list. describe: gives definitions, by names or by need. ' +
  'call: calls one, by its name and arguments. Describe a tool before its first call.';

const tellOriginals =
  'original: brings back, by its id, what a marker in the conversation says was left out.';

function chooseName(taken: ReadonlySet<string>): string {
  let name = ownName;
  for (let number = 2; taken.has(name); number += 1) name = `${ownName}_${number}`;
  return name;
}
