import { z } from 'zod';

/** A service as an image holds it: unpacked somewhere, started by the image's own command. */
const unpackedImage = z.object({
  /** What the image has at its WORKDIR. */
  directory: z.string(),
  command: z.array(z.string()).min(1),
  /** Variables that the image sets by itself. */
  env: z.record(z.string(), z.string()).default({}),
  /** The operating-system user to run as; this process's own unless given. */
  user: z.object({ uid: z.int(), gid: z.int() }).optional(),
});
export type UnpackedImage = z.infer<typeof unpackedImage>;

/** How a stack is to be run. */
export const stackOptions = z.object({
  dataDir: z.string(),
  /** Environment by service name, or `*` for all: wins over everything else. */
  env: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  /** Number of processes by service name; one each unless given. */
  replicas: z.record(z.string(), z.int().min(0).max(16)).default({}),
  /** The services to run; every app that has been built unless given. */
  apps: z.array(z.string()).optional(),
  /** By process name, such as `worker-2`: what runs in place of this checkout's build. */
  images: z.record(z.string(), unpackedImage).default({}),
  /** Try the well-known ports first, which is for the one stack that people talk to. */
  useDefaultPorts: z.boolean().default(false),
  restartCrashed: z.boolean().default(true),
  /** Keep data safe from a crash of the machine; tests throw theirs away. */
  durable: z.boolean().default(true),
  /** Delete the data directory when the stack has ended. */
  ephemeral: z.boolean().default(false),
  /** Have a NATS user who hears everything. For tests alone: nobody else may hear what is not addressed to them. */
  hasObserver: z.boolean().default(false),
  /** End with the process that started this one, even if that is killed. */
  endWithParent: z.boolean().default(false),
});
export type StackOptions = z.infer<typeof stackOptions>;
