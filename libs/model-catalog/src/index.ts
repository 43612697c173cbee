export {
  catalogFile,
  modelRecord,
  type CatalogFile,
  type CatalogFileInput,
  type ModelKind,
  type ModelPrices,
  type ModelRecord,
  type ModelRecordInput,
  type QualityFigure,
} from './catalog-file.ts';
export { costUsd } from './cost-usd.ts';
export {
  createCatalog,
  loadCatalog,
  type CacheRules,
  type CatalogModel,
  type ModelCatalog,
} from './model-catalog.ts';
