export {
  chooseLevel,
  createComplexityModel,
  standardize,
  type ComplexityLevel,
  type ComplexityModel,
  type ComplexityThresholds,
  type ComplexityWeights,
} from './complexity/complexity-model.ts';
export { extractFeatures, featureNames } from './complexity/features.ts';
