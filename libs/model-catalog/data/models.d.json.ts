/** The file is validated at run time. An inferred type with thousands of literals would slow down the type check. */
declare const data: unknown;
export default data;
