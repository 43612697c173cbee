import { GatewayError } from '@gateway/errors';
import { isListed, parseAddress, parseCidr } from './address-policy.ts';

/**
 * The addresses of the gateway itself. If a provider had an address of the gateway, the gateway would send
 * requests to itself.
 */
export interface OwnEndpoints {
  /** URLs at which clients reach the gateway. Only the host and port of each URL are used. */
  readonly origins: readonly string[];
  /** Ports on which the process listens. */
  readonly ports: readonly number[];
  /** The IP addresses of the process's network interfaces. Loopback addresses are always included. */
  readonly addresses: readonly string[];
}

/** IP addresses that always refer to the local machine. */
const selfBlocks = ['127.0.0.0/8', '0.0.0.0/8', '::1', '::'].map(parseCidr);

/** Recognizes the gateway's own addresses. */
export class OwnAddresses {
  readonly #origins: ReadonlySet<string>;
  readonly #ports: ReadonlySet<string>;
  readonly #addresses: ReadonlySet<string>;

  constructor({ origins, ports, addresses }: OwnEndpoints) {
    this.#origins = new Set(origins.map((origin) => hostAndPort(new URL(origin))));
    this.#ports = new Set(ports.map(String));
    this.#addresses = new Set(
      addresses.flatMap((address) => parseAddress(address)?.toNormalizedString() ?? []),
    );
  }

  /**
   * Whether the process listens on the URL's port. If the process listens on the port, the caller must check
   * each address of the host name with `isOwnAddress`.
   */
  isOwnPort(url: URL): boolean {
    return this.#ports.has(portOf(url));
  }

  /** Whether the URL contains the gateway's host and port. The host name of the URL is not resolved. */
  isOwnUrl(url: URL): boolean {
    if (this.#origins.has(hostAndPort(url))) return true;
    return this.isOwnPort(url) && this.isOwnAddress(url.hostname.replace(/^\[|\]$/g, ''));
  }

  /** Whether the text is an IP address of this machine. */
  isOwnAddress(text: string): boolean {
    const address = parseAddress(text);
    if (address === undefined) return false;
    return isListed(address, selfBlocks) || this.#addresses.has(address.toNormalizedString());
  }
}

/** Creates the error for a provider call that would reach the gateway itself. */
export function ownAddress(): GatewayError {
  return new GatewayError('request_loop', { detail: 'the address belongs to this gateway' });
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}

function hostAndPort(url: URL): string {
  return `${url.hostname.toLowerCase().replace(/\.$/, '')}:${portOf(url)}`;
}
