import type { IncomingHttpHeaders } from 'node:http';
import type { RequestOutline, ToolOutline } from '@gateway/interchange';
import { addsToolsOn, bindsReasoning, defersNatively, type ModelCatalog } from '@gateway/model-catalog';
import { formatNamed, searchTool, type JsonTape } from '@gateway/wire-formats';
import type { Caller, ParsedRequest, Target } from '../../../request/request.ts';
import type { Deferral, ToolPlan } from '../../exchange/tool-plan.ts';

/**
 * Chooses deferral if the account enables it and the catalogue lists deferral for the model. Deferral is possible
 * only if the client uses the provider's format. The decision depends only on facts that are constant in a
 * conversation as long as the client does not change its tools. Returns undefined if the client already uses the
 * provider's own deferral, or if the client cannot read the provider's search.
 */
export function chooseDeferral(
  { outline, tape }: ParsedRequest,
  { provider, model, lane }: Target,
  { pruning }: Caller,
  catalog: ModelCatalog,
  headers: IncomingHttpHeaders,
): Deferral | undefined {
  if (pruning.native.length === 0 || lane.kind !== 'same-format') return undefined;
  const native = catalog.find(provider.name, model)?.nativeSelection;
  if (native === undefined || !pruning.native.includes(native)) return undefined;
  const appliesAt = (target: Target): boolean =>
    target.lane.kind === 'same-format' && target.provider.name === provider.name && target.model === model;
  if (native === 'deferred_loading' && outline.format === 'messages')
    return mayDefer(outline, tape.bytes, headers) ? { mode: 'deferred', appliesAt } : undefined;
  if (native === 'allowed_tools' && outline.format === 'chat-completions')
    return mayRestrict(outline) ? { mode: 'allowed', appliesAt } : undefined;
  return undefined;
}

/**
 * How tools outside the tool set are handled in a conversation with bound reasoning. Null means that all tools are
 * sent unchanged.
 */
export type BoundMode = 'deferred' | 'pruned' | 'whole' | null;

/**
 * Chooses the recovery mode of a conversation with bound reasoning. With bound reasoning, deferral does not depend
 * on the account's settings, because only deferral can save tokens. Clients that defer tools themselves keep their
 * own selection. Clients that cannot read the provider's search get every tool. If a model drops reasoning without
 * an error and cannot defer tools, every tool is sent, because a changed prefix would go unnoticed. Models of
 * unknown families get every tool.
 */
export function chooseBoundMode(
  { outline, tape, conversation }: ParsedRequest,
  target: Target,
  catalog: ModelCatalog,
  headers: IncomingHttpHeaders,
): BoundMode {
  const model = catalog.find(target.provider.name, target.model);
  const { effect } = bindsReasoning(model, target.model);
  const mayBeDeferred = boundDeferral(outline, catalog).appliesAt(target);
  if (effect === 'unknown' || effect === 'none' || (effect === 'drops' && !mayBeDeferred)) return null;
  if (conversation.before === null && !mayDefer(outline, tape.bytes, headers)) return 'whole';
  return mayBeDeferred ? 'deferred' : 'pruned';
}

/**
 * Returns the deferral for a conversation with bound reasoning. A fallback that supports deferral keeps the
 * deferral, because removing it would edit the prefix.
 */
export function boundDeferral({ format }: Pick<RequestOutline, 'format'>, catalog: ModelCatalog): Deferral {
  const appliesAt = ({ lane, provider, model: id }: Target): boolean => {
    if ((format !== 'messages' && format !== 'responses') || lane.kind !== 'same-format') return false;
    const model = catalog.find(provider.name, id);
    return model !== undefined && defersNatively(model, format);
  };
  const loadsAt = ({ provider, model: id }: Target): boolean => {
    const model = catalog.find(provider.name, id);
    return format === 'messages' && model !== undefined && addsToolsOn(model, format);
  };
  return { mode: 'deferred', appliesAt, loadsAt };
}

/** Returns whether the client itself defers the given tool. */
export function isClientDeferred({ bytes }: JsonTape, { builtIn, range }: ToolOutline): boolean {
  return builtIn && bytes.subarray(range.start, range.end).includes('"defer_loading"');
}

/** Texts that occur in a request if the client itself defers tools. */
const ownDeferral = ['"tool_search_tool_', '"tool_search"', '"defer_loading"'];

/**
 * Matches the user agent of Continue (up to version 1.5), which sends the default user agent of its HTTP library.
 * Continue stops with an error if a response contains a search by the provider. The SDKs of the providers, and
 * agents that use them, send their own user agents.
 */
const userAgentWithoutSearches = /^node-fetch\b/;

/** Clients use namespaces to group the tools that they themselves defer. */
function mayDefer(
  { tools, toolsRange }: RequestOutline,
  bytes: Buffer,
  { 'user-agent': userAgent = '' }: IncomingHttpHeaders,
): boolean {
  if (userAgentWithoutSearches.test(userAgent)) return false;
  const isOwn = ({ name, namespace }: ToolOutline): boolean =>
    name === searchTool.name || namespace !== undefined;
  if (toolsRange === undefined || tools.some(isOwn)) return false;
  const list = bytes.subarray(toolsRange.start, toolsRange.end);
  return !ownDeferral.some((text) => list.includes(text));
}

/**
 * Returns whether the request can use `allowed_tools`. If the client itself restricts `tool_choice`, the gateway
 * does not change it. Tools without a name cannot be listed in `allowed_tools`.
 */
function mayRestrict({ toolChoice: { mode }, tools }: RequestOutline): boolean {
  return (
    (mode === 'unset' || mode === 'auto' || mode === 'required') && tools.every(({ builtIn }) => !builtIn)
  );
}

/**
 * Sends the definition of a deferred tool if the transcript contains a call to the tool but no search result with
 * the tool. Some clients keep the tool call and drop the search result. Without the definition, the prompt would
 * contain calls to an undefined tool. In a conversation with bound reasoning, the tool set stays unchanged.
 */
export function loadCalledTools(planned: ToolPlan, { outline, tape }: ParsedRequest): ToolPlan {
  if (planned.deferral?.mode !== 'deferred' || planned.bound !== undefined) return planned;
  const sent = new Set(planned.forwarded);
  const called = new Set(outline.messages.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name)));
  const isDeferred = (index: number): boolean =>
    !sent.has(index) && called.has(outline.tools[index]?.name ?? '');
  if (!planned.eligible.some(isDeferred)) return planned;
  const found = formatNamed(outline.format).client.listFoundTools?.(tape) ?? new Set<string>();
  const forwarded = planned.eligible.filter(
    (index) => sent.has(index) || (isDeferred(index) && !found.has(outline.tools[index]?.name ?? '')),
  );
  return { ...planned, forwarded };
}
