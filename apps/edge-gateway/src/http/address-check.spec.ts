import { createAddressCheck } from './address-check.ts';

const isInside = createAddressCheck(['10.1.0.0/16', 'fd00::/8', '192.0.2.7/32']);

it.each(['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1', '192.0.2.7'])(
  'the address %s is in the address blocks',
  (address) => {
    expect(isInside(address)).toBe(true);
  },
);

it.each(['10.2.0.1', '::ffff:10.2.0.1', 'fe80::1', '192.0.2.8', '', 'unix', undefined])(
  'the address %p is not in the address blocks',
  (address) => {
    expect(isInside(address)).toBe(false);
  },
);

it('an empty list of address blocks contains no address', () => {
  expect(createAddressCheck([])('10.1.2.3')).toBe(false);
});
