export { isForeignKeyConflict, isMissingRow, isUniqueConflict, sqlStateOf } from './database-errors.ts';
export {
  createDatabase,
  type Database,
  type DatabaseOptions,
  type Models,
  type PoolUse,
} from './database.ts';
/** Creates a UUIDv7. Later ids sort after earlier ones, so new rows are added at the end of indexes. */
export { uuidv7 as newId } from 'uuidv7';
export { ScopeError } from './scope-args.ts';
