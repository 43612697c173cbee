/** How a model is to be chosen: by what the request asks for, by price, by delay, or the best there is. */
export const routingModes = ['auto', 'cheap', 'fast', 'capable'] as const;
export type RoutingMode = (typeof routingModes)[number];

const prefix = 'svc/';
const modeOf: ReadonlyMap<string, RoutingMode> = new Map(
  routingModes.map((mode) => [`${prefix}${mode}`, mode] as const),
);

/** `svc/auto` → `auto`; undefined for a model's own name. */
export function parseRoutingString(model: string): RoutingMode | undefined {
  return model.startsWith(prefix) ? modeOf.get(model) : undefined;
}

/** Whether a model string is of the gateway's own and not a provider's, known or not. */
export function isRoutingName(model: string): boolean {
  return model.startsWith(prefix);
}

export const routingStrings: readonly string[] = [...modeOf.keys()];
