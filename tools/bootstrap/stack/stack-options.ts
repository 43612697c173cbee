import { z } from 'zod';

/**
 * A service from a container image. The image is unpacked into a folder, and the stack starts the service
 * with the image's command.
 */
const unpackedImage = z.object({
  /** The content of the image's WORKDIR. */
  directory: z.string(),
  command: z.array(z.string()).min(1),
  /** Environment variables that the image sets. */
  env: z.record(z.string(), z.string()).default({}),
  /** The operating system user that runs the service, by default the user of this process. */
  user: z.object({ uid: z.int(), gid: z.int() }).optional(),
});
export type UnpackedImage = z.infer<typeof unpackedImage>;

/** The options of a stack. */
export const stackOptions = z.object({
  dataDir: z.string(),
  /**
   * Environment variables by service name, or `*` for all services. The given variables override all other
   * variables.
   */
  env: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  /** Number of processes by service name, by default one process per service. */
  replicas: z.record(z.string(), z.int().min(0).max(16)).default({}),
  /** The services to run, which are all built apps by default. */
  apps: z.array(z.string()).optional(),
  /** Images that replace this checkout's build, by process name (for example `worker-2`). */
  images: z.record(z.string(), unpackedImage).default({}),
  /** Whether to try the default ports first. At most one stack on a machine should set `useDefaultPorts`. */
  useDefaultPorts: z.boolean().default(false),
  restartCrashed: z.boolean().default(true),
  /**
   * Whether to protect data against machine crashes. Tests do not need to survive machine crashes.
   */
  durable: z.boolean().default(true),
  /** Whether to delete the data directory when the stack stops. */
  ephemeral: z.boolean().default(false),
  /** Whether to create a NATS user that receives every message. Only tests set this option. */
  hasObserver: z.boolean().default(false),
  /** Whether to stop the stack when the parent process exits, even if the parent process is killed. */
  endWithParent: z.boolean().default(false),
});
export type StackOptions = z.infer<typeof stackOptions>;
