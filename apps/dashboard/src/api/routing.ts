import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { api, unwrap } from './client.ts';

const readPreferences = () => unwrap(api.GET('/v1/account/routing/preferences'));
export type RoutingPreferences = Awaited<ReturnType<typeof readPreferences>>;
/** A partial update of the routing preferences. Nested objects can also be partial. */
export interface PreferencesUpdate extends Partial<Omit<RoutingPreferences, 'pruning' | 'compression'>> {
  readonly pruning?: Partial<RoutingPreferences['pruning']>;
  readonly compression?: Partial<RoutingPreferences['compression']>;
}
const putPreferences = (body: PreferencesUpdate) =>
  unwrap(api.PUT('/v1/account/routing/preferences', { body }));

export function useRoutingPreferences() {
  return useQuery({ queryKey: ['routing', 'preferences'], queryFn: readPreferences });
}

/** Updates the given routing preferences. The response contains all routing preferences. */
export function useUpdatePreferences() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (update: PreferencesUpdate) => putPreferences(update),
    onSuccess: (preferences) => {
      client.setQueryData(['routing', 'preferences'], preferences);
      return client.invalidateQueries({ queryKey: ['routing', 'calibration'] });
    },
  });
}

const readModels = () => unwrap(api.GET('/v1/account/routing/models/status'));
type ModelList = Awaited<ReturnType<typeof readModels>>;
export type ModelStatus = ModelList['data'][number];
const modelsKey = ['routing', 'models'];

/** The chat models of the connected providers, with their statistics for the last 7 days. */
export function useModels() {
  return useQuery({ queryKey: modelsKey, queryFn: readModels });
}

interface ModelToggle {
  readonly provider: string;
  readonly model_id: string;
  readonly is_enabled: boolean;
}

/** Switches a model on or off. The page shows the change at once, and reverts the change if the gateway rejects it. */
export function useToggleModel() {
  const client = useQueryClient();
  const show = ({ provider, model_id, is_enabled }: ModelToggle) =>
    client.setQueryData<ModelList>(modelsKey, (list) => {
      if (list === undefined) return list;
      const isMeant = (model: ModelStatus) => model.provider === provider && model.model_id === model_id;
      return {
        ...list,
        data: list.data.map((model) => (isMeant(model) ? { ...model, is_enabled } : model)),
      };
    });
  return useMutation({
    mutationFn: (body: ModelToggle) => unwrap(api.POST('/v1/account/routing/models/toggle', { body })),
    onMutate: async (toggle) => {
      // Earlier requests for the model list are cancelled, because their responses would contain the switch's old state.
      await client.cancelQueries({ queryKey: modelsKey });
      show(toggle);
    },
    onError: (_error, toggle) => show({ ...toggle, is_enabled: !toggle.is_enabled }),
  });
}

const readInsights = () => unwrap(api.GET('/v1/account/routing/insights'));
export type RoutingInsights = Awaited<ReturnType<typeof readInsights>>;

export function useInsights() {
  return useQuery({ queryKey: ['routing', 'insights'], queryFn: readInsights });
}

const readCalibration = () => unwrap(api.GET('/v1/account/routing/calibration'));
export type Calibration = Awaited<ReturnType<typeof readCalibration>>;
export type CalibrationBucket = Calibration['buckets'][number];

export function useCalibration() {
  return useQuery({ queryKey: ['routing', 'calibration'], queryFn: readCalibration });
}

/** Filters for routing decisions. */
export interface TraceFilter {
  readonly intent?: string;
  readonly k_reason?: string;
  /** The name of a called tool. */
  readonly tool?: string;
}

const tracesPage = 50;
const readTraces = (filter: TraceFilter, offset: number) =>
  unwrap(
    api.GET('/v1/account/routing/traces', { params: { query: { ...filter, offset, limit: tracesPage } } }),
  );
export type RoutingTrace = Awaited<ReturnType<typeof readTraces>>['data'][number];

/** Loads routing decisions, newest first. Callers load each further page with `fetchNextPage`. */
export function useTraces(filter: TraceFilter) {
  return useInfiniteQuery({
    queryKey: ['routing', 'traces', filter],
    queryFn: ({ pageParam }) => readTraces(filter, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ data }, pages) => (data.length < tracesPage ? undefined : pages.length * tracesPage),
    placeholderData: keepPreviousData,
  });
}
