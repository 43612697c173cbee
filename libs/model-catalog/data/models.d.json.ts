/**
 * The data file is validated at run time. An inferred type with thousands of literals would slow down type
 * checking.
 */
declare const data: unknown;
export default data;
