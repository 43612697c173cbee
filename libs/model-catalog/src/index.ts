export {
  catalogFile,
  modelRecord,
  type CatalogFile,
  type CatalogFileInput,
  type ModelKind,
  type ModelRecord,
  type ModelRecordInput,
  type QualityFigure,
} from './catalog-file.ts';
export { costUsd } from './cost-usd.ts';
export {
  addsToolsOn,
  bindsReasoning,
  cachePrices,
  defersNatively,
  takesToolsOn,
  thinksByDefault,
  type CachePrices,
  type ReasoningBinding,
} from './model-facts.ts';
export {
  createCatalog,
  loadCatalog,
  type CacheRules,
  type CatalogModel,
  type ModelCatalog,
} from './model-catalog.ts';
export { createOwnModel, extendCatalog, type OwnModelFacts } from './own-models.ts';
export { pricesAt, type ModelPrices } from './prices.ts';
export type { ApiName } from './provider-facts.ts';
