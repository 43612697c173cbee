import { z } from 'zod';

/** A list in the public API has the form `{"object":"list","data":[…]}`. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ object: z.literal('list'), data: z.array(item) });

/** One page of a list in the public API. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  listOf(item).extend({
    total: z.int().nonnegative(),
    limit: z.int().min(1).max(500),
    offset: z.int().nonnegative(),
  });

/**
 * Query parameters for a page of a list. The schema converts the values to numbers, because query strings are
 * text.
 */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  offset: z.coerce.number().int().min(0).default(0),
});
