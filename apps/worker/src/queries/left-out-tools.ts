/** Of a row: tools were left out of its list, by a plan whose candidates are known, and tools were called. */
export const isPrunedAndCalling =
  'routing IS NOT NULL AND tools_out < tools_in AND cardinality(called_tools) > 0';

/** Of one element, `candidate`, of a row's candidates: `[name, score, rank, 0|1 forwarded, …]`. */
export const isLeftOutAndCalled = `candidate ->> 3 = '0' AND candidate ->> 0 = ANY (called_tools)`;
