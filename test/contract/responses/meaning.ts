/**
 * Normalizes request and response bodies in the Responses format. After normalization, two bodies with the
 * same meaning are equal. A null field is treated as absent. `stream: false` is treated as an absent
 * field.
 */
export type Members = Record<string, unknown>;

export function requestMeaning(body: Members): Members {
  const meaning = dropNulls(body) as Members;
  return Object.fromEntries(Object.entries(meaning).filter(([name, value]) => !isDefault(name, value)));
}

/**
 * Returns true if a field has its default value. A request with a stored prompt may omit the model, because
 * the stored prompt can set the model.
 */
function isDefault(name: string, value: unknown): boolean {
  if (name === 'stream') return value === false;
  if (name === 'model') return value === '';
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return isEmpty && ['tools', 'text', 'reasoning'].includes(name);
}

function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, name === 'parameters' ? (member as unknown) : dropNulls(member)]),
  );
}
