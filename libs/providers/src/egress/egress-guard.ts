import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { GatewayError } from '@gateway/errors';
import { buildConnector } from 'undici';
import { isListed, isPublic, parseAddress, parseCidr, type Cidr } from './address-policy.ts';
import { ownAddress, OwnAddresses, type OwnEndpoints } from './own-endpoints.ts';

export interface EgressGuardOptions {
  /**
   * Address blocks that are allowed, although they are not public. TLS is optional for addresses in the
   * allowed blocks. An example of an address block is `127.0.0.0/8`.
   */
  readonly allow: readonly string[];
  /**
   * Origins of the operator's own servers, such as `http://sandbox-provider:8080` for the built-in sandbox.
   * Provider calls may reach the operator's own origins at any address and without TLS. `checkUrl` and
   * `checkResolved` ignore this list, so no account can save one of these origins as a provider address.
   */
  readonly ownOrigins?: readonly string[];
  /** The gateway's own addresses. No provider may have one of these addresses. By default, the list is empty. */
  readonly gateway?: OwnEndpoints;
  /** Resolves a host name to all its IP addresses. The default is the operating system's resolver. */
  readonly resolve?: Resolve;
  /** Timeout for establishing a connection, in milliseconds. */
  readonly connectTimeoutMs?: number;
}

type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The type of the DNS lookup function that `net.connect` and undici accept. */
export type Lookup = (
  hostname: string,
  options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
) => void;

/** Prevents requests from reaching addresses outside the public internet. */
export interface EgressGuard {
  /**
   * Checks the URL without resolving host names. The check covers the scheme, the user info, and a host that
   * is an IP address in any notation. The URL parser converts decimal, octal and hexadecimal addresses to
   * dotted form. A host name is checked when it is resolved for a connection. Call this method for every
   * redirect as well.
   * @throws GatewayError `egress_denied` if the URL is not allowed.
   * @throws GatewayError `request_loop` if the URL is an address of the gateway itself.
   */
  checkUrl(url: string | URL): void;
  /**
   * Applies the rules of `checkUrl` to a provider call, but also allows the operator's own origins.
   * @throws GatewayError `egress_denied`
   */
  checkCall(url: string | URL): void;
  /**
   * Applies the rules of `checkUrl` to a link or redirect from a response. The operator's own origins are
   * rejected, even if `allow` contains their addresses.
   * @throws GatewayError `egress_denied`
   */
  checkLink(url: string | URL): void;
  /**
   * Whether a request to the URL would currently reach the gateway itself. A host name is resolved if the
   * port is one of the gateway's ports. Returns false if the host name does not resolve.
   */
  isOwn(url: string | URL): Promise<boolean>;
  /**
   * Runs `checkUrl`, then checks the current IP addresses of the host name. This check reports a wrong
   * address as soon as the address is saved.
   * @throws GatewayError `egress_denied`
   */
  checkResolved(url: string | URL): Promise<void>;
  /**
   * Resolves a host name and fails if *any* of its IP addresses is denied. The socket connects to the address
   * that was checked, so DNS rebinding has no effect. In a DNS rebinding attack, a host name resolves to
   * another address after the check.
   */
  readonly lookup: Lookup;
  /**
   * The value for undici's `connect` option. The connector applies `checkCall` and `lookup` to every
   * connection, even if the caller did not check the URL.
   */
  readonly connect: buildConnector.connector;
}

const defaultConnectTimeoutMs = 10_000;

/** @throws Error that contains the first entry in `allow` that is not a CIDR block. */
export function createEgressGuard(options: EgressGuardOptions): EgressGuard {
  const { resolve = systemLookup, connectTimeoutMs: timeout = defaultConnectTimeoutMs } = options;
  const allow = options.allow.map(parseCidr);
  const own = new Set((options.ownOrigins ?? []).map((url) => new URL(url).origin));
  const gateway = new OwnAddresses(options.gateway ?? { origins: [], ports: [], addresses: [] });
  const policy: WrittenPolicy = { allow, gateway };
  const checks = createUrlChecks(policy, own);
  const lookup = createLookup(resolve, (address) => mayCall(address, allow, true));
  const plainLookup = createLookup(resolve, (address) => mayCall(address, allow, false));
  const secure = buildConnector({ lookup, timeout, allowH2: false });
  const plain = buildConnector({ lookup: plainLookup, timeout, allowH2: false });
  // The operator configured the host names of the origins, so their addresses need no check.
  const unchecked = buildConnector({ lookup: createLookup(resolve, () => true), timeout, allowH2: false });
  const ownPort = createOwnPortConnectors({ lookup, plainLookup, gateway, timeout });
  return {
    ...checks,
    lookup,
    isOwn: (url) => leadsToGateway(new URL(url), gateway, resolve),
    checkResolved: async (url) => {
      checks.checkUrl(url);
      const { protocol, hostname } = new URL(url);
      const check = protocol === 'https:' ? lookup : plainLookup;
      if (isIP(bareHost(hostname)) === 0) await lookupOnce(check, hostname);
    },
    connect: (target, callback) => {
      const url = `${target.protocol}//${target.host ?? target.hostname}`;
      if (own.size > 0 && own.has(originOf(url))) return unchecked(target, callback);
      const denial = findDenial(url, policy);
      if (denial) return callback(denial, null);
      // Through a host name, only calls to the gateway's own ports can reach the gateway.
      if (gateway.isOwnPort(new URL(url))) return ownPort(target, callback);
      return target.protocol === 'https:' ? secure(target, callback) : plain(target, callback);
    },
  };
}

function createUrlChecks(
  policy: WrittenPolicy,
  own: ReadonlySet<string>,
): Pick<EgressGuard, 'checkUrl' | 'checkCall' | 'checkLink'> {
  const checkUrl = (url: string | URL): void => checkWritten(new URL(url), policy);
  const isOperators = (url: string | URL): boolean => own.has(new URL(url).origin);
  return {
    checkUrl,
    checkCall: (url) => {
      if (!isOperators(url)) checkUrl(url);
    },
    checkLink: (url) => {
      if (isOperators(url)) throw denied('an origin of the operator');
      checkUrl(url);
    },
  };
}

/**
 * Connects to a host name at one of the gateway's ports, unless the host name resolves to the gateway itself.
 */
function createOwnPortConnectors({
  lookup,
  plainLookup,
  gateway,
  timeout,
}: {
  readonly lookup: Lookup;
  readonly plainLookup: Lookup;
  readonly gateway: OwnAddresses;
  readonly timeout: number;
}): buildConnector.connector {
  const secure = buildConnector({ lookup: withoutOwn(lookup, gateway), timeout, allowH2: false });
  const plain = buildConnector({ lookup: withoutOwn(plainLookup, gateway), timeout, allowH2: false });
  return (target, callback) => (target.protocol === 'https:' ? secure : plain)(target, callback);
}

function withoutOwn(lookup: Lookup, gateway: OwnAddresses): Lookup {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, address, family) => {
      const found = typeof address === 'string' ? [{ address }] : address;
      if (error === null && found.some((each) => gateway.isOwnAddress(each.address)))
        return callback(ownAddress(), []);
      return callback(error, address, family);
    });
}

function leadsToGateway(url: URL, gateway: OwnAddresses, resolve: Resolve): Promise<boolean> {
  if (gateway.isOwnUrl(url)) return Promise.resolve(true);
  const hostname = bareHost(url.hostname);
  if (!gateway.isOwnPort(url) || isIP(hostname) !== 0) return Promise.resolve(false);
  return new Promise((done) => {
    resolve(hostname, { all: true }, (error, addresses) =>
      done(error === null && addresses.some(({ address }) => gateway.isOwnAddress(address))),
    );
  });
}

interface WrittenPolicy {
  readonly allow: readonly Cidr[];
  readonly gateway: OwnAddresses;
}

function checkWritten(url: URL, { allow, gateway }: WrittenPolicy): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw denied(`scheme ${url.protocol}`);
  if (url.username !== '' || url.password !== '') throw denied('user info in the URL');
  if (gateway.isOwnUrl(url)) throw ownAddress();
  const secure = url.protocol === 'https:';
  const address = parseAddress(bareHost(url.hostname));
  if (address === undefined) {
    // Without TLS, only addresses in allowed blocks can be reached.
    // If no address blocks are allowed, no host name can resolve to an allowed address.
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

function findDenial(url: string, policy: WrittenPolicy): GatewayError | undefined {
  try {
    checkWritten(new URL(url), policy);
    return undefined;
  } catch (thrown) {
    return thrown instanceof GatewayError ? thrown : denied('invalid URL');
  }
}

/** The origin of a URL, or an empty string if the URL cannot be parsed. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

/** The URL's host, without the brackets around an IPv6 address. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function denied(detail: string): GatewayError {
  return new GatewayError('egress_denied', { detail });
}
