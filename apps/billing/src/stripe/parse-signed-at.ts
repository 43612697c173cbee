/** When a `Stripe-Signature` header says that it was signed (`t=…`, Unix seconds); null for another header. */
export function parseSignedAt(signature: string): Date | null {
  const seconds = /(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1];
  return seconds === undefined ? null : new Date(Number(seconds) * 1000);
}
