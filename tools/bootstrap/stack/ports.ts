import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { z } from 'zod';
import { readJson, writePrivateJson } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';

/** Reserved ports must lie below the ephemeral port range, which outgoing connections use. */
const FREE_PORTS = { from: 20_000, to: 32_000 } as const;

/** The default ports for the first stack on a machine. */
const defaultPorts: Readonly<Record<string, number>> = {
  'edge-gateway': 8080,
  'sandbox-provider': 8081,
  postgres: 15432,
  redis: 16379,
  'redis-cache': 16380,
  nats: 14222,
};

const host = '127.0.0.1';

function portIsFree(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once('error', () => settle(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => settle(true)));
  });
}

/**
 * Reserves a free TCP port until this process exits. Before a server starts and while it restarts, its TCP port
 * looks free to other processes. To reserve the TCP port, this function binds the UDP port with the same
 * number. Only one process can bind a UDP port, and the operating system releases the port when the process
 * exits.
 */
async function claimPort(port: number): Promise<boolean> {
  const claim = createSocket('udp4');
  const isClaimed = await new Promise<boolean>((settle) => {
    claim.once('error', () => settle(false));
    claim.bind({ port, address: host, exclusive: true }, () => settle(true));
  });
  if (isClaimed && (await portIsFree(port))) {
    claim.unref();
    return true;
  }
  claim.close();
  return false;
}

/** Reserves a port that is unused and not reserved by any other process. */
export async function chooseFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FREE_PORTS.from, FREE_PORTS.to);
    if (await claimPort(port)) return port;
  }
}

export interface PortBook {
  /**
   * Returns a free port for `name`. Tries the requested port first, then the previous port, then the default
   * port, and then any free port.
   */
  choose(name: string, wanted?: number): Promise<number>;
}

/**
 * Assigns each port only once. Stores the assigned ports, so that a restarted stack has the same addresses as
 * before.
 */
export function openPortBook(dataDir: DataDir, options: { readonly useDefaults: boolean }): PortBook {
  const remembered = z.record(z.string(), z.number()).parse(readJson(dataDir.portsFile) ?? {});
  return {
    async choose(name, wanted) {
      const candidates = [wanted, remembered[name], options.useDefaults ? defaultPorts[name] : undefined];
      for (const port of candidates) {
        if (port !== undefined && (await claimPort(port))) {
          remembered[name] = port;
          writePrivateJson(dataDir.portsFile, remembered);
          return port;
        }
      }
      remembered[name] = await chooseFreePort();
      writePrivateJson(dataDir.portsFile, remembered);
      return remembered[name];
    },
  };
}
