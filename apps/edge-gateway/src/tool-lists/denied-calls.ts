import {
  unqualifyTool,
  type FinishReason,
  type JsonObject,
  type ProviderFormat,
  type StreamEvent,
} from '@gateway/interchange';
import { providerFormatNamed } from '@gateway/wire-formats';
import { findDeniedItem, isReasoningPart } from './responses-items.ts';
import { identifyServerBlock, isResultOf } from './server-blocks.ts';
import { foldKey } from './tool-members.ts';
import type { ToolPermission } from './tool-permission.ts';

/** Maximum number of denied tool names in the log row of a request. */
const namesMax = 64;

/** Normalized names of the fields of a message, other than `tool_calls`, that contain tool calls. */
const callMembers: ReadonlySet<string> = new Set(['toolcalls', 'functioncall', 'tooluse']);
const legacyMember = 'function_call';

/** The state of one choice (alternative answer) of a streamed response. */
interface ChoiceState {
  /** Indexes of the content blocks with tool calls that are hidden from the client. */
  readonly hidden: Set<number>;
  /**
   * Maps the provider's block numbers to the block numbers that the client receives, without the hidden blocks.
   */
  readonly placed: Map<number, number>;
  readonly hiddenIds: Set<string>;
  readonly denied: Set<string>;
  calls: number;
  hasContent: boolean;
  legacy: 'none' | 'permitted' | 'denied';
  isExplained: boolean;
}

/**
 * Removes calls to denied tools from one response, event by event. The response may have any format. The first
 * event of a tool call determines whether the call is removed, so no event is delayed. If a choice contains
 * only denied calls, a short text replaces the calls, and the finish reason is `stop`. Otherwise, the agent
 * would receive an empty turn and wait for tool results.
 */
export class DeniedCalls {
  readonly #permission: ToolPermission;
  readonly #choices = new Map<number, ChoiceState>();
  readonly #names = new Set<string>();
  #hasCalls = false;
  #format: ProviderFormat = 'chat-completions';

  constructor(permission: ToolPermission) {
    this.#permission = permission;
  }

  /** Names of the denied tools that the model called, at most 64. */
  get names(): readonly string[] {
    return [...this.#names];
  }

  /**
   * Whether the response contains a tool call. After the first tool call, the client must receive rendered
   * events in place of the provider's bytes. A client may parse the provider's bytes in a way that the
   * gateway does not expect.
   */
  get hasCalls(): boolean {
    return this.#hasCalls;
  }

  /**
   * Records the denied tool calls in the stream events of recovery rounds.
   * @param recoveryTool the name of the gateway's recovery tool
   */
  note(events: readonly StreamEvent[], recoveryTool: string): void {
    for (const event of events)
      if (
        event.type === 'tool-call-start' &&
        event.name !== recoveryTool &&
        !this.#permits(unqualifyTool(event), event.namespace)
      )
        this.#deny(this.#choiceAt(event.choice), event.name);
  }

  /** Returns the stream events that the client receives. */
  push(events: readonly StreamEvent[]): readonly StreamEvent[] {
    return events.flatMap((event) => this.#pushEvent(event));
  }

  #pushEvent(event: StreamEvent): readonly StreamEvent[] {
    switch (event.type) {
      case 'message-start':
        this.#format = event.format;
        return [event];
      case 'extension':
        return event.scope === 'answer' ? [event] : this.#pushExtension(event);
      case 'finish':
        return this.#finish(event);
      case 'message-end':
        return [...[...this.#choices].flatMap(([index, state]) => this.#explain(index, state)), event];
      case 'usage':
      case 'error':
        return [event];
      default:
        return this.#pushBlock(event);
    }
  }

  #pushBlock(event: Extract<StreamEvent, { block: number }>): readonly StreamEvent[] {
    const state = this.#choiceAt(event.choice);
    if (event.type === 'tool-call-start') this.#startCall(state, event);
    if (event.type === 'part' && event.part.type === 'opaque')
      this.#judgePart(state, event.block, event.part);
    if (state.hidden.has(event.block)) return [];
    if (isContent(event)) state.hasContent = true;
    return [{ ...event, block: placeBlock(state, event.block) }];
  }

  #startCall(state: ChoiceState, event: Extract<StreamEvent, { type: 'tool-call-start' }>): void {
    const { block, name } = event;
    this.#hasCalls = true;
    if (this.#permits(unqualifyTool(event), event.namespace)) {
      state.hidden.delete(block);
      state.calls += 1;
      return;
    }
    state.hidden.add(block);
    this.#deny(state, name);
  }

  /** Hides a call to a denied tool that the provider itself runs. The method also hides the output of the call. */
  #judgePart(state: ChoiceState, block: number, part: { readonly extensions: object }): void {
    const item = (part.extensions as { readonly responses?: JsonObject }).responses?.['rawItem'];
    const denied = findDeniedItem(item, this.#permission);
    if (denied !== undefined) {
      this.#hasCalls = true;
      state.hidden.add(block);
      this.#deny(state, denied);
      return;
    }
    const call = identifyServerBlock(part);
    if (call === undefined) {
      if (isResultOf(part, state.hiddenIds)) state.hidden.add(block);
      return;
    }
    this.#hasCalls = true;
    if (call.isGateways ? !this.#permission.denies(call.name) : this.#permission.permitsAll(call.identities))
      return;
    state.hidden.add(block);
    if (call.id !== undefined) state.hiddenIds.add(call.id);
    this.#deny(state, call.name);
  }

  /** Removes tool calls that are in separate fields, such as the older `function_call`. */
  #pushExtension(event: Extract<StreamEvent, { type: 'extension' }>): readonly StreamEvent[] {
    const own = event.extensions['chat-completions'] ?? {};
    const called = Object.keys(own).filter((name) => callMembers.has(foldKey(name)));
    if (called.length === 0) return [event];
    this.#hasCalls = true;
    const state = this.#choiceAt(event.choice);
    const rest = Object.fromEntries(Object.entries(own).filter(([name]) => !called.includes(name)));
    const kept = called.flatMap((name) =>
      name === legacyMember ? this.#keepLegacy(state, own[name]) : this.#denyUnread(state, name),
    );
    const members = { ...rest, ...Object.fromEntries(kept) };
    if (Object.keys(members).length === 0) return [];
    return [{ ...event, extensions: { ...event.extensions, 'chat-completions': members } }];
  }

  /**
   * Processes one fragment of a streamed tool call. The first fragment contains the name of the called tool.
   * Later fragments of a tool call may only add arguments.
   */
  #keepLegacy(state: ChoiceState, value: unknown): [string, unknown][] {
    const call = (typeof value === 'object' && value !== null ? value : {}) as JsonObject;
    const name = typeof call['name'] === 'string' ? call['name'] : '';
    if (state.legacy === 'none') {
      state.legacy = this.#permits(name) ? 'permitted' : 'denied';
      if (state.legacy === 'denied') this.#deny(state, name);
      else state.calls += 1;
      return state.legacy === 'permitted'
        ? [[legacyMember, { name, arguments: call['arguments'] ?? '' }]]
        : [];
    }
    if (state.legacy === 'denied') return [];
    return [[legacyMember, { arguments: call['arguments'] ?? '' }]];
  }

  #denyUnread(state: ChoiceState, member: string): [] {
    this.#deny(state, member);
    return [];
  }

  #finish(event: Extract<StreamEvent, { type: 'finish' }>): readonly StreamEvent[] {
    const state = this.#choiceAt(event.choice);
    const note = this.#explain(event.choice, state);
    const isUnfinished = state.denied.size > 0 && state.calls === 0 && callReasons.has(event.reason);
    if (!isUnfinished) return [...note, event];
    const rawReason = providerFormatNamed(this.#format).provider.finishedReason;
    return [...note, { ...event, reason: 'stop', rawReason }];
  }

  #explain(choice: number, state: ChoiceState): readonly StreamEvent[] {
    if (state.isExplained || state.denied.size === 0 || state.calls > 0 || state.hasContent) return [];
    state.isExplained = true;
    const block = state.placed.size;
    state.placed.set(Number.MAX_SAFE_INTEGER, block);
    return [
      { type: 'text-start', choice, block },
      { type: 'text-delta', choice, block, text: explainDenied([...state.denied]) },
      { type: 'text-end', choice, block },
    ];
  }

  /** A tool call without a readable name is forbidden, because the gateway cannot check the call. */
  #permits(name: string, namespace = ''): boolean {
    return name !== '' && this.#permission.permits(name) && !this.#permission.denies(namespace);
  }

  #deny(state: ChoiceState, name: string): void {
    const shown = name.slice(0, nameCharactersMax);
    if (state.denied.size < namesMax) state.denied.add(shown);
    if (this.#names.size < namesMax) this.#names.add(shown);
  }

  #choiceAt(index: number): ChoiceState {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const state: ChoiceState = {
      ...{ hidden: new Set<number>(), placed: new Map<number, number>(), hiddenIds: new Set<string>() },
      ...{ denied: new Set<string>(), calls: 0, hasContent: false, legacy: 'none', isExplained: false },
    };
    this.#choices.set(index, state);
    return state;
  }
}

const nameCharactersMax = 256;

/** Finish reasons of a response after which the model waits for tool results. */
const callReasons: ReadonlySet<FinishReason> = new Set<FinishReason>(['tool-calls', 'pause', 'other']);

/** The text that replaces hidden tool calls. */
export function explainDenied(names: readonly string[]): string {
  const shown = names
    .slice(0, 8)
    .map((name) => (name === '' ? 'a tool without a name' : JSON.stringify(name)));
  return `The model called ${shown.join(', ')}. The tool lists of this API key do not permit the call, so the gateway removed it.`;
}

/** Whether an event contains anything other than reasoning. */
function isContent(event: StreamEvent): boolean {
  if (event.type === 'part') return !isReasoningPart(event.part);
  return 'text' in event && event.text.trim() !== '' && event.type !== 'thinking-delta';
}

function placeBlock({ placed }: ChoiceState, block: number): number {
  const known = placed.get(block);
  if (known !== undefined) return known;
  const next = placed.size;
  placed.set(block, next);
  return next;
}
