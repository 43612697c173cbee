import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { GatewayError } from '@gateway/errors';
import { buildConnector } from 'undici';
import { isListed, isPublic, parseAddress, parseCidr, type Cidr } from './address-policy.ts';

export interface EgressGuardOptions {
  /** Blocks that may be called although they are not public, and without TLS (`127.0.0.0/8`). */
  readonly allow: readonly string[];
  /** Resolves a name to all its addresses. The system's resolver unless told. */
  readonly resolve?: Resolve;
  /** Longest time to a connection. */
  readonly connectTimeoutMs?: number;
}

type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The signature of `lookup` in `net.connect` and in undici's `connect` options. */
export type Lookup = (
  hostname: string,
  options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
) => void;

/** Keeps the gateway from being used to reach what is not on the public internet. */
export interface EgressGuard {
  /**
   * Judges an address as written: scheme, user info, and a host that is an IP address in any spelling (the URL parser
   * turns decimal, octal and hexadecimal ones into dotted form). A host name is judged when it is resolved.
   * Call it again for every redirect. @throws GatewayError `egress_denied`
   */
  checkUrl(url: string | URL): void;
  /** `checkUrl`, and the addresses that its host name has now: early advice when an address is saved. @throws GatewayError `egress_denied` */
  checkResolved(url: string | URL): Promise<void>;
  /**
   * Resolves a name and fails if *any* address is denied. The socket connects to the very address that was checked, so a name that
   * changes its mind between check and use (DNS rebinding) gains nothing.
   */
  readonly lookup: Lookup;
  /** For undici's `connect` option. Applies `checkUrl` and `lookup` to every connection, whatever the caller did or forgot. */
  readonly connect: buildConnector.connector;
}

const defaultConnectTimeoutMs = 10_000;

/** @throws Error naming the first entry of `allow` that is no CIDR block. */
export function createEgressGuard(options: EgressGuardOptions): EgressGuard {
  const allow = options.allow.map(parseCidr);
  const resolve: Resolve = options.resolve ?? systemLookup;
  const timeout = options.connectTimeoutMs ?? defaultConnectTimeoutMs;
  const checkUrl = (url: string | URL): void => checkWritten(new URL(url), allow);
  const lookup = createLookup(resolve, (address) => mayCall(address, allow, true));
  const plainLookup = createLookup(resolve, (address) => mayCall(address, allow, false));
  const secure = buildConnector({ lookup, timeout, allowH2: false });
  const plain = buildConnector({ lookup: plainLookup, timeout, allowH2: false });
  return {
    checkUrl,
    lookup,
    checkResolved: async (url) => {
      checkUrl(url);
      const { protocol, hostname } = new URL(url);
      const check = protocol === 'https:' ? lookup : plainLookup;
      if (isIP(bareHost(hostname)) === 0) await lookupOnce(check, hostname);
    },
    connect: (target, callback) => {
      const denial = findDenial(`${target.protocol}//${target.host ?? target.hostname}`, allow);
      if (denial) return callback(denial, null);
      return target.protocol === 'https:' ? secure(target, callback) : plain(target, callback);
    },
  };
}

function checkWritten(url: URL, allow: readonly Cidr[]): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw denied(`scheme ${url.protocol}`);
  if (url.username !== '' || url.password !== '') throw denied('user info in the address');
  const secure = url.protocol === 'https:';
  const address = parseAddress(bareHost(url.hostname));
  if (address === undefined) {
    // Without TLS only an allowed block may be called, so with none allowed no name can resolve into one.
    if (!secure && allow.length === 0) throw denied('no TLS');
    return;
  }
  if (!mayCall(address.toString(), allow, secure)) throw denied(`address ${url.hostname}`);
}

function mayCall(text: string, allow: readonly Cidr[], secure: boolean): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  return isListed(address, allow) || (secure && isPublic(address));
}

function createLookup(resolve: Resolve, permits: (address: string) => boolean): Lookup {
  return (hostname, options, callback) =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const bad = addresses.find(({ address }) => !permits(address));
      if (bad) return callback(denied(`${hostname} resolves to ${bad.address}`), []);
      const [first] = addresses;
      if (!first) return callback(denied(`${hostname} has no address`), []);
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
}

function lookupOnce(lookup: Lookup, hostname: string): Promise<void> {
  return new Promise((done, fail) => {
    lookup(hostname, { all: true }, (error) => {
      if (error === null) return done();
      return fail(error instanceof GatewayError ? error : denied(`${hostname} does not resolve`));
    });
  });
}

function findDenial(url: string, allow: readonly Cidr[]): GatewayError | undefined {
  try {
    checkWritten(new URL(url), allow);
    return undefined;
  } catch (thrown) {
    return thrown instanceof GatewayError ? thrown : denied('unreadable address');
  }
}

/** An IPv6 host stands in brackets in a URL. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function denied(detail: string): GatewayError {
  return new GatewayError('egress_denied', { detail });
}
