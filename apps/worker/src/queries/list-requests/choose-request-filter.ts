import type { RequestFilter } from '@gateway/contracts';
import type { TelemetryWhere } from '../../persistence/telemetry-database.ts';

/** The rows that a filter lets through. Parts that were not given narrow nothing. */
export function chooseRequestFilter({
  keyId,
  model,
  sessionId,
  status,
  from,
  to,
}: RequestFilter): TelemetryWhere {
  return {
    ...(keyId === undefined ? {} : { keyId }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(status === undefined ? {} : { status }),
    ...(model === undefined ? {} : { OR: listModelNames(model) }),
    ...(from === undefined && to === undefined
      ? {}
      : {
          createdAt: {
            ...(from === undefined ? {} : { gte: from }),
            ...(to === undefined ? {} : { lt: to }),
          },
        }),
  };
}

/** A model's own name may hold slashes, so `a/b` is looked for as a name, and as the model `b` of the provider `a`. */
function listModelNames(model: string): TelemetryWhere[] {
  const slash = model.indexOf('/');
  const names: TelemetryWhere[] = [{ model }, { requestedModel: model }];
  if (slash > 0) names.push({ provider: model.slice(0, slash), model: model.slice(slash + 1) });
  return names;
}
