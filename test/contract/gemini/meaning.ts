/**
 * Normalizes request and response bodies in the Gemini format. After normalization, two bodies with the same
 * meaning are equal. The normalization shares no code with the code under test. A field name in snake case is
 * treated as its lower camel case form. A null field is treated as absent. A single part is treated as a list
 * with one part. `thought: false` is treated as an absent field. One tool with several function declarations
 * is treated as several tools with one declaration each. A tool call without arguments is treated as a call
 * with empty arguments.
 */
export type Members = Record<string, unknown>;

/** Fields that contain objects with field names that the client chooses. */
const carriedWhole = new Set([
  'parameters',
  'parametersJsonSchema',
  'response',
  'responseJsonSchema',
  'responseSchema',
  'args',
  'labels',
  'modelArmorConfig',
  'fileSearch',
]);

export function requestMeaning(body: Members): Members {
  const { contents, tools, generationConfig, ...meaning } = camel(body) as Members;
  return {
    ...meaning,
    ...(isMembers(meaning.systemInstruction)
      ? { systemInstruction: contentMeaning(meaning.systemInstruction) }
      : {}),
    ...(isMembers(generationConfig) && Object.keys(generationConfig).length > 0 ? { generationConfig } : {}),
    ...(Array.isArray(tools) ? { tools: toolsMeaning(tools as Members[]) } : {}),
    contents: ((contents ?? []) as Members[]).map(contentMeaning),
  };
}

export function contentMeaning(content: Members): Members {
  const parts = Array.isArray(content.parts) ? (content.parts as Members[]) : [content.parts as Members];
  return { ...content, parts: parts.map(partMeaning) };
}

export function partMeaning(part: Members): Members {
  const meaning = { ...part };
  if (meaning.thought === false) delete meaning.thought;
  if (isMembers(meaning.functionCall)) meaning.functionCall = { args: {}, ...meaning.functionCall };
  return meaning;
}

function toolsMeaning(tools: readonly Members[]): unknown {
  const declarations = tools.flatMap((tool) => (tool.functionDeclarations ?? []) as Members[]);
  const others = tools.flatMap((tool) =>
    Object.entries(tool).filter(([name]) => name !== 'functionDeclarations'),
  );
  return { declarations, others };
}

export function camel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camel);
  if (!isMembers(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]): [string, unknown] => {
        const camelName = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
        return [camelName, carriedWhole.has(camelName) ? member : camel(member)];
      }),
  );
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
