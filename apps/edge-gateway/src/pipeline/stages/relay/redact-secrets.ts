/** Takes credentials out of a provider's error text: some providers quote the key that they refuse. */
export function redactSecrets(body: Buffer, secrets: readonly string[]): Buffer {
  const present = secrets.filter((secret) => secret !== '' && body.includes(secret));
  if (present.length === 0) return body;
  let text = body.toString('utf8');
  for (const secret of present) text = text.replaceAll(secret, '[redacted]');
  return Buffer.from(text, 'utf8');
}
