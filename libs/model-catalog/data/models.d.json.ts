/** The file is checked when it is read: its own type, thousands of literals, would only slow the type check down. */
declare const data: unknown;
export default data;
