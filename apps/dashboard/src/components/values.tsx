import type { ReactNode } from 'react';
import {
  formatAgo,
  formatCount,
  formatExactTime,
  formatMs,
  formatShare,
  formatTime,
  formatTokenNumber,
  formatTokens,
  formatUsd,
  unknown,
} from '../lib/format.ts';
import { useNow } from '../lib/time.ts';

/**
 * Text that does not come from the product, such as tool names. Direction marks inside the element cannot
 * affect the surrounding text.
 */
export function Foreign({ children }: { readonly children: ReactNode }) {
  return <bdi>{children}</bdi>;
}

type Value = { readonly value: number | null | undefined };

/**
 * A time, shown in the reader's time zone. If `isRelative` is true, the time is shown relative to now. The tooltip
 * shows the exact time.
 */
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

/** A number of tokens. With `isBare`, the unit is only in the tooltip, because the column's header names it. */
export function Tokens({ value, isBare }: Value & { readonly isBare?: boolean }) {
  if (value === null || value === undefined) return <Unknown />;
  return (
    <span title={`${formatCount(value)} tokens`}>
      {isBare === true ? formatTokenNumber(value) : formatTokens(value)}
    </span>
  );
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
  return <span title={`${value * 100}%`}>{formatShare(value)}</span>;
}

/** A placeholder for a figure that was not measured. A zero would look like a measured figure. */
export function Unknown() {
  return (
    <span title="unknown">
      <span aria-hidden>{unknown}</span>
      <span className="visually-hidden">unknown</span>
    </span>
  );
}
