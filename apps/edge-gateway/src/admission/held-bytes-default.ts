import { totalmem } from 'node:os';

const mebibyte = 1024 * 1024;
const [leastBytes, mostBytes] = [64 * mebibyte, 512 * mebibyte];

/**
 * The default for `HELD_BYTES_MAX` is a quarter of the memory that this process may use, but at least 64 MiB
 * and at most 512 MiB. The remaining memory is for code, connections and garbage. If the container has a
 * memory limit, the process may use memory up to this limit. Without a container limit, the process may use
 * the machine's memory.
 */
export const defaultHeldBytesMax = chooseHeldBytesMax(process.constrainedMemory(), totalmem());

/**
 * @param constrained the container's memory limit in bytes. If the container has no limit, this value is 0 or
 * greater than `total`.
 */
export function chooseHeldBytesMax(constrained: number, total: number): number {
  const usable = constrained > 0 && constrained < total ? constrained : total;
  return Math.min(mostBytes, Math.max(leastBytes, Math.floor(usable / 4)));
}
