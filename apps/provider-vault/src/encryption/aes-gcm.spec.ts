import { decrypt } from './aes-gcm.ts';

/**
 * AES-256 test cases 13 to 16 from the GCM specification (McGrew and Viega, "The Galois/Counter Mode of
 * Operation", appendix B). No npm package contains the Wycheproof test vectors. The faults that Wycheproof
 * covers (changed and shortened tags, nonces and associated data) are tested exhaustively in
 * envelope.spec.ts.
 */
const zeroKey = '00'.repeat(32);
const zeroNonce = '00'.repeat(12);
const key = 'feffe9928665731c6d6a8f9467308308'.repeat(2);
const nonce = 'cafebabefacedbaddecaf888';
const plaintext =
  'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72' +
  '1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255';
const ciphertext =
  '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa' +
  '8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad';
const associatedData = 'feedfacedeadbeeffeedfacedeadbeefabaddad2';
const withoutLast4 = (hex: string) => hex.slice(0, -8);

const cases = [
  [zeroKey, zeroNonce, '', '', '', '530f8afbc74536b9a963b4f1c4cb738b'],
  [
    zeroKey,
    zeroNonce,
    '',
    '00'.repeat(16),
    'cea7403d4d606b6e074ec5d3baf39d18',
    'd0d1c8a799996bf0265b98b5d48ab919',
  ],
  [key, nonce, '', plaintext, ciphertext, 'b094dac5d93471bdec1a502270e3cc6c'],
  [
    key,
    nonce,
    associatedData,
    withoutLast4(plaintext),
    withoutLast4(ciphertext),
    '76fc6ece0f4e1768cddf8853bb2d551b',
  ],
].map((hex, at) => [at + 13, ...hex.map((text) => Buffer.from(text, 'hex'))] as const);

describe('AES-256-GCM', () => {
  it.each(cases)(
    'decrypts test case %i from the GCM specification, and rejects any other tag',
    (_, ...bytes) => {
      const [k, iv, aad, p, c, tag] = bytes as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
      expect(decrypt(k, Buffer.concat([iv, c, tag]), aad)).toEqual(p);
      const zeroTag = Buffer.alloc(16);
      expect(() => decrypt(k, Buffer.concat([iv, c, zeroTag]), aad)).toThrow();
      expect(() => decrypt(k, Buffer.concat([iv, c, tag.subarray(0, 12)]), aad)).toThrow();
    },
  );
});
