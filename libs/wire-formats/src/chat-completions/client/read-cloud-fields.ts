import type { JsonTape } from '../../json/json-tape.ts';
import { invalidField } from '../../request-fault.ts';
import { cloudFields, type CloudField } from '../../extension-fields.ts';

/**
 * The credentials that a caller put into the body for this one request. They are secrets: never logged.
 *
 * @throws GatewayError `invalid_field` when one is neither text nor null.
 */
export function readCloudFields(tape: JsonTape): Partial<Record<CloudField, string>> {
  const found: Partial<Record<CloudField, string>> = {};
  for (const name of cloudFields) {
    const node = tape.get(tape.root, name);
    if (node === undefined || tape.kind(node) === 'null') continue;
    const value = tape.stringValue(node);
    if (value === undefined) throw invalidField(name, 'a string');
    found[name] = value;
  }
  return found;
}
