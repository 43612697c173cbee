import { z } from 'zod';

/** A service as contained in an image: unpacked to a folder, started with the image's command. */
const unpackedImage = z.object({
  /** The content of the image's WORKDIR. */
  directory: z.string(),
  command: z.array(z.string()).min(1),
  /** Variables that the image sets. */
  env: z.record(z.string(), z.string()).default({}),
  /** The operating-system user; that of this process by default. */
  user: z.object({ uid: z.int(), gid: z.int() }).optional(),
});
export type UnpackedImage = z.infer<typeof unpackedImage>;

/** The options of a stack. */
export const stackOptions = z.object({
  dataDir: z.string(),
  /** Environment by service name, or `*` for all. It overrides everything else. */
  env: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  /** Number of processes by service name; one by default. */
  replicas: z.record(z.string(), z.int().min(0).max(16)).default({}),
  /** The services to run; every built app by default. */
  apps: z.array(z.string()).optional(),
  /** By process name, such as `worker-2`: an image to run instead of this checkout's build. */
  images: z.record(z.string(), unpackedImage).default({}),
  /** Whether to prefer the well-known ports, for the one stack that people use. */
  useDefaultPorts: z.boolean().default(false),
  restartCrashed: z.boolean().default(true),
  /** Whether to protect data against machine crashes. Tests do not need it. */
  durable: z.boolean().default(true),
  /** Whether to delete the data directory after the stack has ended. */
  ephemeral: z.boolean().default(false),
  /** Whether to create a NATS user that receives everything. For tests only. */
  hasObserver: z.boolean().default(false),
  /** Whether to end together with the process that started this one, even if that is killed. */
  endWithParent: z.boolean().default(false),
});
export type StackOptions = z.infer<typeof stackOptions>;
