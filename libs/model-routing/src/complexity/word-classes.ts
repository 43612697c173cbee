/**
 * Words that indicate a request's complexity, grouped by grammatical function. The lists contain only
 * function words and words for calculations. Topic words are excluded: a topic does not indicate complexity,
 * and weights for topic words do not generalize to other topics.
 */
const lists = {
  negation:
    'not no never none neither nor except without cannot nothing false incorrect least unlikely fails',
  condition: 'if unless suppose assume assuming whether provided given whenever otherwise',
  modal: 'would could should might may must will can',
  quantifier: 'all some every each any only both most many few several another other',
  comparison:
    'more less fewer greater larger smaller higher lower than twice times half double triple increase increases increased decrease decreases decreased longer shorter older younger faster same equal',
  number:
    'one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty hundred thousand million dozen third quarter first second fourth fifth once',
  rate: 'per hour hours minute minutes day days week weeks month months year years percent mile miles dollar dollars cost costs price total remaining left rest sum average much spend spends pay pays buys sells earns makes gets gives takes',
  reasoning: 'because therefore thus since hence then so implies follows calculate compute determine why',
  /** Verbs and nouns for work products and proofs, as opposed to facts. */
  task: 'prove proof derive explain evaluate solve compare analyze analyse design implement optimize optimise refactor debug diagnose argue justify estimate plan architect algorithm theorem complexity rigorous rigorously detailed comprehensive step steps tradeoff tradeoffs trade-offs concurrent concurrency distributed invariant constraints migrate rewrite investigate',
  recall:
    'called known refers term name named define defined definition example described describes means meaning type types considered associated characterized cause causes caused located found',
  truth:
    'true statement statements correct valid argument arguments conclusion premise premises claim claims best likely',
  person: 'he she his her him hers himself herself they their them who whom whose someone man woman boy girl',
  self: 'i me my mine we us our you your',
  linking:
    'the a an of to in is was are were be been being by for on with as at from that this it its and or but which what how when where has have had do does did into about after before during between under over through',
} as const;

export type WordClass = keyof typeof lists;

export const wordClasses = Object.keys(lists) as readonly WordClass[];

/** Maps a lowercase word to the index of its class. A word belongs to the first class that lists it. */
export const classOfWord: ReadonlyMap<string, number> = new Map(
  wordClasses
    .flatMap((name, position) => lists[name].split(' ').map((word) => [word, position] as const))
    .toReversed(),
);
