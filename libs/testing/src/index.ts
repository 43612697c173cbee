export { NeedleIndex, type CanaryHit, type Secret } from './canaries/needle-index.ts';
export { startObserver, type StackObserver } from './canaries/observe-stack.ts';
export {
  appendObserved,
  isObserved,
  noteSecret,
  observedFile,
  observedKinds,
  readSecretsUsed,
} from './canaries/observed-folder.ts';
export { findFreePort, startNatsServer, type NatsServer } from './nats-server/start-nats-server.ts';
export type { ReceivedSpan } from './otlp-receiver/parse-export.ts';
export { startOtlpReceiver, type OtlpReceiver } from './otlp-receiver/start-otlp-receiver.ts';
export { randomFrom, shuffle } from './random-from.ts';
export {
  findRecordings,
  loadRecordings,
  mayLackRecordings,
  findSharedData,
  skipUnless,
} from './recordings/load-recordings.ts';
export type { Recording, RecordingEntry } from './recordings/recording.ts';
export type { ReplayControls } from './replay-provider/controls.ts';
export { anthropicError, openAiError } from './replay-provider/error-bodies.ts';
export { openRedisMonitor } from './redis-monitor/open-redis-monitor.ts';
export {
  startReplayProvider,
  type ChooseControls,
  type ReceivedRequest,
  type ReplayProvider,
  type ReplayProviderOptions,
} from './replay-provider/start-replay-provider.ts';
export { createAcceptedEvent, createEndedEvent, createPlanEvent } from './request-events.ts';
export { forgeTokens, type ForgedToken } from './sessions/forge-tokens.ts';
export {
  logOutPerson,
  signUpPerson,
  type SignUpOptions,
  type TestPerson,
} from './sessions/sign-up-person.ts';
export {
  createIssuerKey,
  startTokenIssuer,
  type IssuerKey,
  type TokenIssuer,
} from './sessions/start-token-issuer.ts';
export {
  startStripeServer,
  type SignedEvent,
  type StripeServer,
  type StripeServerOptions,
} from './stripe-server/start-stripe-server.ts';
export { sharedStack, startStack, type TestStackOptions } from './stack/start-stack.ts';
export {
  attachStack,
  type DevInfo,
  type StackUnderTest,
  type UnitUnderTest,
} from './stack/stack-under-test.ts';
export { bindingBeta, type BindingVerdict, type BoundFormat } from './transcript-rules/prefix-binding.ts';
export { listAdditions, toolChangesBeta } from './transcript-rules/tool-additions.ts';
export { TranscriptRules, type IssuedReasoning } from './transcript-rules/transcript-rules.ts';
