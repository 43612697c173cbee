/** The criterion for choosing a model: request complexity, price, latency or quality. */
export const routingModes = ['auto', 'cheap', 'fast', 'capable'] as const;
export type RoutingMode = (typeof routingModes)[number];

const prefix = 'svc/';
const modeOf: ReadonlyMap<string, RoutingMode> = new Map(
  routingModes.map((mode) => [`${prefix}${mode}`, mode] as const),
);

/** Parses `svc/auto` to `auto`. Returns undefined for a model name. */
export function parseRoutingString(model: string): RoutingMode | undefined {
  return model.startsWith(prefix) ? modeOf.get(model) : undefined;
}

/** Whether a model string starts with the gateway's prefix. The mode after the prefix may be unknown. */
export function isRoutingName(model: string): boolean {
  return model.startsWith(prefix);
}

export const routingStrings: readonly string[] = [...modeOf.keys()];
