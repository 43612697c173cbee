import { decodeJwt } from 'jose';
import { KnownDevices } from './known-devices.ts';

const devices = new KnownDevices(Buffer.alloc(32, 5));
const owner = { id: 'the owner', deviceGeneration: 3 };

describe('a device token', () => {
  it('identifies a browser of its owner on every replica', async () => {
    const token = await devices.issue(owner);
    const replica = new KnownDevices(Buffer.alloc(32, 5));
    const found = await replica.find(['nonsense', token], owner);
    expect(found).toBe(decodeJwt(token).jti);
    expect(found).toHaveLength(22);
    expect(replica.publicKey).toBe(devices.publicKey);
  });

  it('is different for each sign-in', async () => {
    const tokens = await Promise.all([devices.issue(owner), devices.issue(owner)]);
    const ids = await Promise.all(tokens.map((token) => devices.find([token], owner)));
    expect(new Set(ids).size).toBe(2);
  });

  it('is invalid for another person, for no person, and after its revocation', async () => {
    const token = await devices.issue(owner);
    expect(await devices.find([token], { ...owner, id: 'another' })).toBeNull();
    expect(await devices.find([token], null)).toBeNull();
    expect(await devices.find([token], { ...owner, deviceGeneration: 4 })).toBeNull();
  });

  it('cannot be forged or changed', async () => {
    const forged = await new KnownDevices(Buffer.alloc(32, 6)).issue(owner);
    const token = await devices.issue(owner);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const none = Buffer.from('{"alg":"none","typ":"device+jwt"}').toString('base64url');
    const claims = { ...decodeJwt(token), sub: 'another' };
    const changed = Buffer.from(JSON.stringify(claims)).toString('base64url');
    for (const bad of [forged, `${none}.${payload}.`, `${header}.${changed}.${signature}`, `${token}x`, ''])
      expect(await devices.find([bad], { ...owner, id: claims.sub })).toBeNull();
    expect(await devices.find([forged], owner)).toBeNull();
  });
});
