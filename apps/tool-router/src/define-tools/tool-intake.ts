import { setImmediate as letOthersIn } from 'node:timers/promises';
import type { ToolDefinition } from '@gateway/contracts';
import type { ToolDefinitions } from './tool-definitions.port.ts';

/** Definitions that are read in one go, about two milliseconds' worth. */
const toolsAtOnce = 32;

export interface ToolIntakeOptions {
  /** Begins to make their vectors. */
  readonly learn: (tools: readonly ToolDefinition[]) => void;
  readonly memory: ToolDefinitions;
}

/** Takes definitions in, a few at a time: others' plans must not wait for a list of a thousand. */
export class ToolIntake implements ToolDefinitions {
  readonly #options: ToolIntakeOptions;

  constructor(options: ToolIntakeOptions) {
    this.#options = options;
  }

  async define(tools: readonly ToolDefinition[]): Promise<void> {
    for (let from = 0; from < tools.length; from += toolsAtOnce) {
      const some = tools.slice(from, from + toolsAtOnce);
      await this.#options.memory.define(some);
      if (from + toolsAtOnce < tools.length) await letOthersIn();
    }
    this.#options.learn(tools);
  }
}
