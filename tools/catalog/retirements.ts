import type { ModelRecordInput } from '@gateway/model-catalog';
import type { ModelFacts } from './fact-list.ts';

interface Announcement {
  readonly provider: string;
  /** A key of `announcementSources`. */
  readonly source: string;
  /** The first day on which the model is no longer available. */
  readonly on: string;
  readonly modelIds: string;
}

/**
 * Pages on which providers announce retirements. If another host also serves the model, it may retire the model
 * on a different date.
 */
export const announcementSources = {
  'openai-deprecations': {
    title: 'https://developers.openai.com/api/docs/deprecations',
    licence: 'dates of a public page',
    takenOn: '2026-10',
  },
  'anthropic-deprecations': {
    title: 'https://platform.claude.com/docs/en/about-claude/model-deprecations',
    licence: 'dates of a public page',
    takenOn: '2026-10',
  },
  'gemini-deprecations': {
    title: 'https://ai.google.dev/gemini-api/docs/deprecations',
    licence: 'CC-BY-4.0',
    takenOn: '2026-11',
  },
} as const;

const announced =
  (provider: string, source: keyof typeof announcementSources) =>
  (on: string, modelIds: string): Announcement => ({ provider, source, on, modelIds });
const openai = announced('openai', 'openai-deprecations');
const anthropic = announced('anthropic', 'anthropic-deprecations');
const google = announced('google', 'gemini-deprecations');

/**
 * Retirement dates that the providers have announced. No model list contains announced retirement dates. "Not
 * sooner than" and "earliest" are not announcements.
 */
const announcements: readonly Announcement[] = [
  openai('2026-07-23', 'gpt-5-chat-latest gpt-5.1-chat-latest'),
  openai('2026-08-10', 'gpt-5.2-chat-latest gpt-5.3-chat-latest'),
  openai('2026-10-23', 'gpt-3.5-turbo gpt-4 gpt-4-turbo gpt-4o-2024-05-13 gpt-4.1-nano o1 o3-mini o4-mini'),
  openai('2026-10-23', 'gpt-image-1'),
  openai('2026-12-01', 'gpt-image-1-mini gpt-image-1.5 chatgpt-image-latest'),
  openai('2026-12-11', 'gpt-5 gpt-5-mini gpt-5-nano o3'),
  openai('2027-01-06', 'tts-1 gpt-4o-mini-tts'),
  openai('2027-01-14', 'gpt-4o-2024-08-06 gpt-4o-2024-11-20'),
  openai('2027-02-26', 'gpt-4o-transcribe gpt-4o-mini-transcribe'),
  openai('2027-04-01', 'gpt-5.1 gpt-5.4-nano'),
  anthropic('2025-07-21', 'claude-3-sonnet-20240229'),
  anthropic('2025-10-28', 'claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022'),
  anthropic('2026-01-05', 'claude-3-opus-20240229'),
  anthropic('2026-02-19', 'claude-3-7-sonnet-20250219'),
  anthropic('2026-04-20', 'claude-3-haiku-20240307'),
  anthropic(
    '2026-06-15',
    'claude-sonnet-4-0 claude-sonnet-4-20250514 claude-opus-4-0 claude-opus-4-20250514',
  ),
  anthropic('2026-08-05', 'claude-opus-4-1 claude-opus-4-1-20250805'),
  anthropic('2026-11-30', 'claude-sonnet-4-5 claude-sonnet-4-5-20250929'),
  google('2026-03-09', 'gemini-3-pro-preview'),
  google('2026-06-25', 'gemini-3.1-flash-image-preview gemini-3-pro-image-preview'),
  google('2026-12-01', 'gemini-2.5-pro gemini-2.5-flash'),
];

const byModel = new Map(
  announcements.flatMap((each) =>
    each.modelIds.split(' ').map((modelId) => [`${each.provider}/${modelId}`, each] as const),
  ),
);

/** Adds the announced retirement date to a model's record, if a page or the fact list has a date. */
export function addRetirement(record: ModelRecordInput, fact?: ModelFacts): ModelRecordInput {
  const found = byModel.get(`${record.provider}/${record.modelId}`);
  if (found === undefined)
    return fact?.retires == null ? record : { ...record, deprecated: true, retiredAt: fact.retires };
  return { ...record, deprecated: true, retiredAt: found.on, sources: [...record.sources, found.source] };
}
