export { chooseModel, explorationShare } from './choice/choose-model.ts';
export { createRules, exclusionTexts, findUnmetNeed } from './choice/exclude.ts';
export type {
  Candidate,
  ChoiceReason,
  Excluded,
  ExclusionRule,
  ListedModel,
  Needs,
  ObservedLatency,
  ObservedRecall,
  Pin,
  RoutingChoice,
  RoutingPolicy,
  RoutingQuestion,
} from './choice/question.ts';
export {
  isRoutingName,
  parseRoutingString,
  routingModes,
  routingStrings,
  type RoutingMode,
} from './choice/question.ts';
export {
  chooseLevel,
  createComplexityModel,
  standardize,
  type ComplexityLevel,
  type ComplexityModel,
  type ComplexityThresholds,
  type ComplexityWeights,
  loadComplexityModel,
} from './complexity/complexity-model.ts';
export { extractFeatures, featureNames } from './complexity/features.ts';
export { listModels, rateQuality } from './prior/quality-prior.ts';
