import { formatCount, formatMs, formatShare, formatTokens, formatUsd, unknown } from '../format/numbers.ts';
import { useNow } from './use-now.ts';
import { formatAgo, formatExactTime, formatTime } from '../format/times.ts';

type Value = { readonly value: number | null | undefined };

/** An instant in the reader's zone; `isRelative`: how long ago. The exact one is its title. */
export function Time({
  value,
  isRelative,
}: {
  readonly value: string | null | undefined;
  readonly isRelative?: boolean;
}) {
  const nowMs = useNow();
  if (value === null || value === undefined) return <Unknown />;
  return (
    <time dateTime={value} title={formatExactTime(value)}>
      {isRelative === true ? formatAgo(value, nowMs) : formatTime(value)}
    </time>
  );
}

export function Count({ value }: Value) {
  return value === null || value === undefined ? <Unknown /> : <span>{formatCount(value)}</span>;
}

export function Tokens({ value }: Value) {
  if (value === null || value === undefined) return <Unknown />;
  return <span title={`${formatCount(value)} tokens`}>{formatTokens(value)}</span>;
}

export function Dollars({ value }: Value) {
  if (value === null || value === undefined) return <Unknown />;
  return <span title={`${value} USD`}>{formatUsd(value)}</span>;
}

export function Duration({ value }: Value) {
  if (value === null || value === undefined) return <Unknown />;
  return <span title={`${value} ms`}>{formatMs(value)}</span>;
}

export function Share({ value }: Value) {
  if (value === null || value === undefined) return <Unknown />;
  return <span title={`${value * 100} %`}>{formatShare(value)}</span>;
}

/** Nobody measured it, which is not zero. */
export function Unknown() {
  return (
    <span title="not known">
      <span aria-hidden>{unknown}</span>
      <span className="visually-hidden">not known</span>
    </span>
  );
}
