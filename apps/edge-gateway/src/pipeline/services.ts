import type { ModelCatalog } from '@gateway/model-catalog';
import type { Messaging } from '@gateway/messaging';
import type { LineLog, Logger } from '@gateway/observability';
import type { SavedTokenBudgets } from '../budgets/saved-token-budgets.ts';
import type { Admission } from '../admission/admission.ts';
import type { BackendBook } from '../backends/backend-book.ts';
import type { RetryBudget } from '../backends/retry-budget.ts';
import type { AccountSecrets } from '../connections/account-secrets.ts';
import type { Connections } from '../connections/connections.ts';
import type { GrantCache } from '../grants/grant-cache.ts';
import type { OpenRequests } from '../grants/open-requests.ts';
import type { EdgeMetrics, ResilienceMetrics } from '../metrics/edge-metrics.ts';
import type { RequestSpool } from '../spool/request-spool.ts';
import type { Upstream } from '../upstream/upstream.port.ts';
import type { KnownBodies } from '../request/known-messages.ts';
import type { PipelineSettings } from '../request/settings.ts';
import type { RateLimiter } from '../rate-limits/rate-limiter.port.ts';
import type { ContextPlanner } from './stages/plan/context/context-planner.ts';
import type { AccountModels } from '../routing/account-models.ts';
import type { LiveModels } from '../routing/live-models.ts';
import type { ModelRouter } from '../routing/model-router.ts';
import type { ContentKeeper } from './contents/content-keeper.ts';
import type { TokenRatios } from '../request/token-ratios.ts';
import type { BoundServices } from './stages/plan/bound-turns.ts';
import type { Planner } from './stages/plan/router/planner.port.ts';
import type { ConversationPlanner } from './stages/plan/conversation/conversation-planner.ts';
import type { ToolListHasher } from './stages/plan/router/tool-list-hasher.ts';
import type { KeptReasoning } from './stages/forward/kept-reasoning.ts';
import type { PromptHasher } from './stages/record/prompt-hasher.ts';
import type { ToolTokens } from './stages/validate/tool-tokens.ts';

export const PIPELINE_SERVICES = Symbol('PIPELINE_SERVICES');

/**
 * The services that the pipeline stages use. The Nest module creates one set of services for the process, and
 * each test creates a separate set.
 */
export interface PipelineServices {
  readonly settings: PipelineSettings;
  readonly knownBodies: KnownBodies;
  readonly grants: GrantCache;
  readonly openRequests: OpenRequests;
  readonly admission: Admission;
  readonly accountSecrets: AccountSecrets;
  readonly connections: Connections;
  /** The shipped catalogue. The services of a single request contain the account's catalogue. */
  readonly catalog: ModelCatalog;
  readonly accountModels: Pick<AccountModels, 'open' | 'scope'>;
  readonly rateLimiter: RateLimiter;
  readonly budgets: SavedTokenBudgets;
  readonly planner: Planner;
  readonly conversations: ConversationPlanner;
  readonly boundPlans: BoundServices['boundPlans'];
  readonly context: ContextPlanner;
  readonly keptReasoning: KeptReasoning;
  readonly toolLists: ToolListHasher;
  readonly tokenRatios: TokenRatios;
  readonly promptHasher: PromptHasher;
  readonly toolTokens: ToolTokens;
  readonly modelRouter: ModelRouter;
  readonly liveModels: LiveModels;
  readonly upstream: Upstream;
  readonly backends: BackendBook;
  readonly retryBudget: RetryBudget;
  readonly spool: RequestSpool;
  readonly contents: ContentKeeper;
  readonly messaging: Messaging;
  readonly metrics: EdgeMetrics;
  readonly resilience: ResilienceMetrics;
  readonly log: Logger;
  /** Writes one log line with all fields of a request. */
  readonly requestLog: LineLog;
}
