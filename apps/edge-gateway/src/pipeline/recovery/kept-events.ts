import type { StreamEvent } from '@gateway/interchange';
import { showsReasoning } from './reasoning.ts';

/**
 * Stores all events of a recovery round, because the next round's request contains the events. The store
 * merges the deltas of a text, so that even a long response needs few events.
 */
export class KeptEvents {
  readonly #events: StreamEvent[] = [];

  get events(): readonly StreamEvent[] {
    return this.#events;
  }

  /** Whether the model's output contains reasoning. */
  get hasReasoned(): boolean {
    return this.#events.some(showsReasoning);
  }

  /** Number of characters in the model's output, for estimating the output tokens. */
  get characters(): number {
    return this.#events.reduce((sum, event) => sum + charactersOf(event), 0);
  }

  push(event: StreamEvent): void {
    const last = this.#events.at(-1);
    if (isText(event) && isText(last) && isSamePlace(event, last) && event.extensions === undefined) {
      this.#events[this.#events.length - 1] = { ...last, text: last.text + event.text };
      return;
    }
    if (event.type === 'tool-call-delta' && last?.type === event.type && isSamePlace(event, last)) {
      this.#events[this.#events.length - 1] = {
        ...last,
        argumentsText: last.argumentsText + event.argumentsText,
      };
      return;
    }
    this.#events.push(event);
  }
}

/** Returns whether an event contains a text, a tool call or a complete content part. */
export function isContent(event: StreamEvent): boolean {
  if (event.type === 'text-delta' || event.type === 'refusal-delta') return event.text.trim() !== '';
  return event.type === 'tool-call-start' || (event.type === 'part' && !showsReasoning(event));
}

function charactersOf(event: StreamEvent): number {
  if ('text' in event) return event.text.length;
  return event.type === 'tool-call-delta' ? event.argumentsText.length : 0;
}

function isText(event: StreamEvent | undefined): event is Extract<StreamEvent, { text: string }> {
  return event !== undefined && 'text' in event;
}

type Placed = Extract<StreamEvent, { block: number }>;

function isSamePlace(one: Placed, other: Placed): boolean {
  return one.type === other.type && one.choice === other.choice && one.block === other.block;
}
