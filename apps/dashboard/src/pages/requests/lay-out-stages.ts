/**
 * Durations of a request's stages in milliseconds, from the request log. Null if the stage did not
 * run.
 */
export interface RequestTimings {
  readonly total: number;
  readonly first_byte: number | null;
  readonly overhead: number | null;
  readonly auth: number | null;
  readonly plan: number | null;
  readonly upstream: number | null;
}

export type StageName = 'auth' | 'prepare' | 'plan' | 'upstream' | 'first_byte' | 'stream';

/** A stage of a request. Times are in milliseconds after the arrival of the request. */
export interface Stage {
  readonly name: StageName;
  readonly label: string;
  readonly startMs: number;
  readonly endMs: number;
}

const labels: Readonly<Record<StageName, string>> = {
  auth: 'Authentication',
  prepare: 'Limits and parsing',
  plan: 'Planning',
  upstream: 'Provider responds',
  first_byte: 'First byte',
  stream: 'Response body',
};

/**
 * The stages of a request, in order. Each stage of a request starts when the previous stage ends. Planning is
 * the last stage before the provider call, and ends when this call starts. The field `overhead` is the time
 * at which the provider call starts. Stages that were not measured are omitted.
 */
export function layOutStages(ms: RequestTimings): Stage[] {
  const total = Math.max(0, ms.total);
  const within = (value: number) => Math.min(Math.max(0, value), total);
  const authEnd = within(ms.auth ?? 0);
  const forwarded = Math.max(authEnd, within(ms.overhead ?? ms.auth ?? 0));
  const planStart = Math.max(authEnd, forwarded - (ms.plan ?? 0));
  const headers = ms.upstream === null ? forwarded : Math.max(forwarded, within(forwarded + ms.upstream));
  const firstByte = ms.first_byte === null ? null : Math.max(headers, within(ms.first_byte));
  const spans: [StageName, number, number, boolean][] = [
    ['auth', 0, authEnd, ms.auth !== null],
    ['prepare', authEnd, planStart, ms.overhead !== null],
    ['plan', planStart, forwarded, ms.plan !== null],
    ['upstream', forwarded, headers, ms.upstream !== null],
    ['first_byte', headers, firstByte ?? headers, firstByte !== null],
    ['stream', firstByte ?? headers, total, firstByte !== null],
  ];
  return spans
    .filter(([, , , isMeasured]) => isMeasured)
    .map(([name, startMs, endMs]) => ({ name, label: labels[name], startMs, endMs }));
}
