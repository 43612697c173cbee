export { isForeignKeyConflict, isMissingRow, isUniqueConflict, sqlStateOf } from './database-errors.ts';
export {
  createDatabase,
  type Database,
  type DatabaseOptions,
  type Models,
  type PoolUse,
} from './database.ts';
/** Creates a UUIDv7. UUIDv7 ids sort by creation time, so new rows are appended at the end of indexes. */
export { uuidv7 as newId } from 'uuidv7';
export { ScopeError } from './scope-args.ts';
