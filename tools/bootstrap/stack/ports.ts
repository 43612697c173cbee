import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { z } from 'zod';
import { readJson, writePrivateJson } from './data-dir.ts';
import type { DataDir } from './data-dir.ts';

/** Below the range from which systems take the ports of outgoing connections, so that none takes ours before we listen. */
const FREE_PORTS = { from: 20_000, to: 32_000 } as const;

/** What the first stack of a machine gets. */
const defaultPorts: Readonly<Record<string, number>> = {
  'edge-gateway': 8080,
  'sandbox-provider': 8081,
  postgres: 15432,
  redis: 16379,
  nats: 14222,
};

export function portIsFree(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once('error', () => settle(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => settle(true)));
  });
}

export interface PortBook {
  /** A free port for `name`: the wanted one, or else the one it had last time, its default, any. */
  choose(name: string, wanted?: number): Promise<number>;
}

/** Hands out ports, none twice, and remembers them, so that a stack keeps its addresses over restarts. */
export function openPortBook(dataDir: DataDir, options: { readonly useDefaults: boolean }): PortBook {
  const remembered = z.record(z.string(), z.number()).parse(readJson(dataDir.portsFile) ?? {});
  const taken = new Set<number>();
  const take = async (port: number | undefined) => {
    if (port === undefined || taken.has(port)) return false;
    taken.add(port);
    return portIsFree(port);
  };
  const chooseAny = async () => {
    for (;;) {
      const port = randomInt(FREE_PORTS.from, FREE_PORTS.to);
      if (await take(port)) return port;
    }
  };
  return {
    async choose(name, wanted) {
      const candidates = [wanted, remembered[name], options.useDefaults ? defaultPorts[name] : undefined];
      for (const port of candidates) {
        if (port !== undefined && (await take(port))) {
          remembered[name] = port;
          writePrivateJson(dataDir.portsFile, remembered);
          return port;
        }
      }
      remembered[name] = await chooseAny();
      writePrivateJson(dataDir.portsFile, remembered);
      return remembered[name];
    },
  };
}
