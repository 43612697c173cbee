import { keyBytes } from './aes-gcm.ts';

/** Matches an optional version, followed by the text of the key. */
const entryShape = /^(?:([1-9]\d{0,8}):)?(.+)$/s;
const localKey = /^[A-Za-z0-9+/]{43}=$/;
const keyArn = /^arn:aws[a-z-]*:kms:([a-z0-9-]{1,32}):\d{12}:key\/[A-Za-z0-9-]{1,64}$/;

/**
 * Parses one key (32 bytes in base64, version 1) or several keys written as `<version>:<base64>`, separated
 * by commas or whitespace.
 * @throws RangeError with a message that does not contain the value
 */
export function parseLocalKeys(text: string): Map<number, Buffer> {
  return parseEntries(text, (entry) => {
    const key = Buffer.from(localKey.test(entry) ? entry : '', 'base64');
    if (key.length !== keyBytes) throw new RangeError(`must be ${keyBytes} bytes in base64`);
    return key;
  });
}

/** A key in AWS KMS. */
export interface KmsKeyName {
  readonly arn: string;
  readonly region: string;
}

/**
 * Parses ARNs of AWS KMS keys, written in the same format as local keys. The parser rejects aliases, because
 * an alias can be moved to a key that cannot decrypt older data.
 * @throws RangeError for an invalid ARN
 */
export function parseKmsKeys(text: string): Map<number, KmsKeyName> {
  return parseEntries(text, (arn) => {
    const region = keyArn.exec(arn)?.[1];
    if (region === undefined)
      throw new RangeError('must be ARNs of keys (arn:aws:kms:…:key/…), not of aliases');
    return { arn, region };
  });
}

function parseEntries<Key>(text: string, parse: (entry: string) => Key): Map<number, Key> {
  const keys = new Map<number, Key>();
  for (const entry of text.split(/[\s,]+/).filter((part) => part !== '')) {
    const [, versionText = '1', rest = ''] = entryShape.exec(entry) ?? [];
    const version = Number(versionText);
    if (keys.has(version)) throw new RangeError(`has two keys of version ${version}`);
    keys.set(version, parse(rest));
  }
  if (keys.size === 0) throw new RangeError('contains no key');
  return keys;
}
