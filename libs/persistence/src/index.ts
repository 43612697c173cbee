export { isForeignKeyConflict, isMissingRow, isUniqueConflict, sqlStateOf } from './database-errors.ts';
export {
  createDatabase,
  type Database,
  type DatabaseOptions,
  type Models,
  type PoolUse,
} from './database.ts';
export { newId } from './new-id.ts';
export { ScopeError } from './scope-args.ts';
