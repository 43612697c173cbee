import type { TokenRow } from './vocabulary.ts';

/** The two inputs of a run, row-major, padded with 0 to the longest row. */
export interface TokenBatch {
  readonly tokenIds: BigInt64Array;
  readonly fieldIds: BigInt64Array;
  readonly shape: readonly [rows: number, length: number];
}

export function batchTokens(rows: readonly TokenRow[]): TokenBatch {
  const length = rows.reduce((longest, { tokenIds }) => Math.max(longest, tokenIds.length), 1);
  const tokenIds = new BigInt64Array(rows.length * length);
  const fieldIds = new BigInt64Array(rows.length * length);
  rows.forEach((row, at) => {
    for (let token = 0; token < row.tokenIds.length; token += 1) {
      tokenIds[at * length + token] = BigInt(row.tokenIds[token] ?? 0);
      fieldIds[at * length + token] = BigInt(row.fieldIds[token] ?? 0);
    }
  });
  return { tokenIds, fieldIds, shape: [rows.length, length] };
}
