import type { Outbound } from '../outbound.ts';
import type { SessionNames } from '../session-names.ts';
import type { HiddenRounds } from './hidden-rounds.ts';

/** Where it is remembered. Positions are those of the list of tools that the key may use. */
interface RoundsMemory {
  addRecovered(names: SessionNames, positions: readonly number[], asked: readonly number[]): void;
}

/** What the transcript will not show of an answer's rounds: tools that came back, and what was asked and not answered. */
export async function rememberRounds(
  { plan }: Pick<Outbound, 'plan'>,
  rounds: HiddenRounds,
  memory: RoundsMemory,
): Promise<void> {
  const { net, session, eligible } = plan;
  const { names, needs } = rounds.unanswered;
  if (net === undefined || session === null) return;
  if (rounds.recovered.length === 0 && names.length === 0 && needs.length === 0) return;
  const positionsOf = (tools: readonly string[]): number[] =>
    tools.flatMap((name) => {
      const index = net.leftOut.get(name);
      return index === undefined ? [] : [eligible.indexOf(index)];
    });
  const found = await Promise.all(needs.slice(0, 2).map((need) => net.find(need)));
  const asked = positionsOf([...names, ...found.flatMap((tools) => tools.slice(0, foundMax))]);
  memory.addRecovered(session, [...positionsOf(rounds.recovered), ...asked], asked);
}

const foundMax = 5;
