// Resolves the names of compose services to loopback addresses. The fixture compose-machine fills in the addresses.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

/** @type {Record<string, string>} */
const hosts = {};

const { lookup, promises } = dns;
const lookupLater = promises.lookup;
/** @param {string} address @param {unknown} options */
const render = (address, options) =>
  typeof options === 'object' && options !== null && 'all' in options && options.all
    ? [{ address, family: 4 }]
    : { address, family: 4 };

// @ts-expect-error -- The overloads of `lookup` cannot be written in a comment.
dns.lookup = (name, options, done) => {
  const callback = done ?? options;
  const address = hosts[name];
  if (address === undefined) return lookup(name, options, done);
  const found = render(address, options);
  process.nextTick(() =>
    Array.isArray(found) ? callback(null, found) : callback(null, found.address, found.family),
  );
};
// @ts-expect-error -- The overloads of `lookup` cannot be written in a comment.
promises.lookup = async (name, options) => {
  const address = hosts[name];
  return address === undefined ? lookupLater(name, options) : render(address, options);
};
syncBuiltinESMExports();
