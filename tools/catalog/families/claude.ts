import type { Confidence, FamilyFacts } from './family.ts';

/**
 * A fact about a model, with an optional confidence level. Facts without a confidence level, and all `no`
 * facts, come from the provider's documentation.
 */
type Certain<Value> = Value | readonly [Value, Confidence];

interface ClaudeFacts {
  readonly byDefault: boolean;
  readonly off: boolean | 'between_tools';
  /**
   * The accounts for which the provider checks the prefix. The value `all` selects every account, and `new`
   * selects accounts created since `checkedSince`.
   */
  readonly binds: 'no' | 'all' | 'new';
  readonly isAccountBound?: true;
  readonly defers: Certain<boolean>;
  readonly adds: Certain<boolean>;
  readonly minTokens?: Certain<number>;
  readonly isReadSecondHand?: true;
}

/**
 * The first day on which Anthropic returned 400 for a changed prefix. By default, Anthropic checks the prefix
 * only for accounts created since that day.
 */
const checkedSince = '2026-08-31';

const always = { byDefault: true, off: false } as const;
const older = { byDefault: false, off: true, binds: 'no', defers: true, adds: false } as const;

/**
 * Claude models by line and version. The sources are Anthropic's pages on preserved thinking, tool search,
 * mid-conversation messages, prompt caching and each model. Deferral for Fable, Sonnet 5 and Haiku 5.5 is
 * inferred, because the page on tool search excludes only Opus 4.1 and older models.
 */
const models: Readonly<Record<string, ClaudeFacts>> = {
  'fable 5.2': {
    ...always,
    binds: 'all',
    defers: [true, 'derived'],
    adds: [true, 'second_hand'],
    minTokens: [512, 'second_hand'],
    isReadSecondHand: true,
  },
  'mythos 5.2': {
    ...always,
    binds: 'all',
    defers: [true, 'derived'],
    adds: [true, 'assumed'],
    isReadSecondHand: true,
  },
  'fable 5.1': {
    ...always,
    binds: 'new',
    defers: [true, 'derived'],
    adds: true,
    minTokens: 512,
    isReadSecondHand: true,
  },
  // On some platforms, the provider checks the prefix for every account.
  'mythos 5.1': {
    ...always,
    binds: 'all',
    defers: [true, 'derived'],
    adds: true,
    minTokens: 512,
    isReadSecondHand: true,
  },
  'opus 5.5': { ...always, binds: 'new', defers: true, adds: true, minTokens: 512 },
  'sonnet 5.5': {
    byDefault: true,
    off: 'between_tools',
    binds: 'new',
    isAccountBound: true,
    defers: [true, 'derived'],
    adds: true,
    minTokens: 512,
  },
  'haiku 5.5': {
    byDefault: true,
    off: true,
    binds: 'new',
    isAccountBound: true,
    defers: [true, 'derived'],
    adds: [true, 'second_hand'],
    minTokens: 512,
  },
  'fable 5.0': { ...always, binds: 'no', defers: [true, 'derived'], adds: true, minTokens: 512 },
  'mythos 5.0': { ...always, binds: 'no', defers: [true, 'derived'], adds: true },
  'opus 5.0': {
    byDefault: true,
    off: true,
    binds: 'no',
    defers: [true, 'derived'],
    adds: true,
    minTokens: 512,
  },
  'sonnet 5.0': {
    byDefault: true,
    off: true,
    binds: 'no',
    defers: [true, 'derived'],
    adds: false,
    minTokens: 1024,
  },
  'opus 4.8': { ...older, adds: true, minTokens: 1024 },
  'opus 4.7': { ...older, minTokens: 2048 },
  'opus 4.6': { ...older, minTokens: 4096 },
  'opus 4.5': { ...older, minTokens: 4096 },
  'sonnet 4.6': { ...older, minTokens: 1024 },
  'sonnet 4.5': { ...older, minTokens: 1024 },
  'haiku 4.5': { ...older, minTokens: 4096 },
  'opus 4.1': { ...older, defers: false, minTokens: 1024 },
  'opus 4.0': { ...older, defers: false, minTokens: 1024 },
  'sonnet 4.0': { ...older, defers: false, minTokens: 1024 },
};

/**
 * The date in the names of Anthropic's API options for bound reasoning. All models with bound reasoning were
 * released after this date.
 */
const bindingSince = '2026-08-01';

/**
 * Returns the facts of the Claude model with the given id, which may have the spelling of any host. For a
 * model newer than the table, the facts include bound reasoning. A wrong assumption of bound reasoning only
 * reduces savings, but a wrong assumption of unbound reasoning would make requests fail. Returns undefined
 * for models of other makers and for older Claude models without known facts.
 */
export function findClaudeFacts(
  provider: string,
  modelId: string,
  releasedAt: string | null,
): FamilyFacts | undefined {
  if (!/claude/i.test(modelId)) return undefined;
  const known = models[nameClaude(modelId) ?? ''];
  if (known !== undefined) return renderFacts(provider, known);
  if (releasedAt !== null && releasedAt < bindingSince) return undefined;
  return {
    thinksByDefault: true,
    binding: { effect: 'rejects', isAccountBound: true },
    evidence: {
      binding: { source: 'gateway-catalogue', confidence: 'assumed' },
      thinksByDefault: { source: 'gateway-catalogue', confidence: 'assumed' },
    },
    sources: ['gateway-catalogue'],
  };
}

/**
 * Returns the line and version in a model id. For example, returns `opus 4.5` for `claude-opus-4-5-20251101`,
 * `anthropic.claude-opus-4.5` and `claude-opus-4-5@20251101`.
 */
function nameClaude(modelId: string): string | undefined {
  const parsed = /claude-(fable|mythos|opus|sonnet|haiku)-(\d)(?:[-.](\d{1,2})(?!\d))?(?!\d)/i.exec(modelId);
  const [, line, major, minor = '0'] = parsed ?? [];
  return line === undefined || major === undefined ? undefined : `${line.toLowerCase()} ${major}.${minor}`;
}

function renderFacts(provider: string, known: ClaudeFacts): FamilyFacts {
  const api = provider === 'anthropic' ? 'messages' : provider === 'hosted' ? 'converse' : undefined;
  const [adds] = split(known.adds);
  const [defers] = split(known.defers);
  const [minTokens] = split(known.minTokens);
  const binds = known.binds !== 'no';
  return {
    ...(api !== undefined && {
      toolsOn: { [api]: 'yes' },
      // Bedrock's tool search requires the InvokeModel API.
      // In the Converse API, `toolSpec` has no field for deferral.
      defersOn: api === 'messages' && defers ? [api] : [],
      addsToolsOn: adds ? [api] : [],
      write1h: 2,
      ...(minTokens !== undefined && { cacheMinTokens: minTokens }),
    }),
    thinksByDefault: known.byDefault,
    thinkingOff: known.off,
    binding: {
      effect: binds ? 'rejects' : 'none',
      ...(known.binds === 'new' && { accountsSince: checkedSince }),
      ...(known.isAccountBound && { isAccountBound: true }),
    },
    evidence: listEvidence(provider, api, known),
    sources: [
      'anthropic-prefix-checks',
      ...(api === 'messages' && defers ? (['anthropic-tool-search'] as const) : []),
      ...(api !== undefined && adds ? (['anthropic-mid-conversation'] as const) : []),
      ...(api !== undefined && minTokens !== undefined ? (['anthropic-prompt-caching'] as const) : []),
    ],
  };
}

function listEvidence(
  provider: string,
  api: 'messages' | 'converse' | undefined,
  known: ClaudeFacts,
): FamilyFacts['evidence'] {
  const [adds, addsConfidence] = split(known.adds);
  const [defers, defersConfidence] = split(known.defers);
  const [, minConfidence] = split(known.minTokens);
  const binds = known.binds !== 'no';
  return {
    ...(binds && provider === 'hosted' && uncertain('binding', 'bedrock-block-binding', 'second_hand')),
    ...(binds && api === undefined && uncertain('binding', 'anthropic-prefix-checks', 'derived')),
    ...(api === 'messages' && defers && uncertain('defersOn', 'anthropic-tool-search', defersConfidence)),
    // Bedrock's SDK has a request field for tools that are added in the middle of a conversation.
    // Only the documentation of Anthropic's own API states which models accept this field.
    ...(api !== undefined &&
      adds &&
      uncertain('addsToolsOn', 'facts', api === 'converse' ? (addsConfidence ?? 'derived') : addsConfidence)),
    ...(api !== undefined && uncertain('cacheMinTokens', 'facts', minConfidence)),
    ...(api !== undefined && known.isReadSecondHand && uncertain('cacheRead', 'facts', 'second_hand')),
  };
}

function split<Value extends boolean | number>(
  fact: Certain<Value> | undefined,
): readonly [Value | undefined, Confidence | undefined] {
  return typeof fact === 'object' ? fact : [fact, undefined];
}

function uncertain(
  fact: keyof FamilyFacts['evidence'],
  source: string,
  confidence: Confidence | undefined,
): FamilyFacts['evidence'] {
  return confidence === undefined ? {} : { [fact]: { source, confidence } };
}
