/** Repeats an item with an increasing number until the text has the given length in characters. */
function fill(chars: number, item: (at: number) => string): string {
  const items: string[] = [];
  for (let length = 0, at = 0; length < chars; at += 1) {
    const next = item(at);
    items.push(next);
    length += next.length + 1;
  }
  return items.join(',');
}

/**
 * Request bodies with a hostile structure, by name. The bodies are JSON text without the fields `model` and
 * `stream`.
 */
export const hostileStructures: Readonly<Record<string, (chars: number, mark: string) => string>> = {
  'many messages': (_, mark) =>
    `"messages":[{"role":"user","content":"${mark}"}${',{"role":"user","content":"a"}'.repeat(32_000)}]`,
  'many turns': (_, mark) =>
    `"messages":[{"role":"user","content":"${mark}"}${',{"role":"assistant","content":"a"},{"role":"user","content":"a"}'.repeat(16_000)}]`,
  'many results': (_, mark) => {
    const calls = Array.from(
      { length: 8_000 },
      (_each, at) => `{"id":"c${at}","type":"function","function":{"name":"f${at % 50}","arguments":"{}"}}`,
    );
    const results = calls.map(
      (_each, at) => `{"role":"tool","tool_call_id":"c${at}","content":"${`${mark} ${at} `.repeat(6)}"}`,
    );
    return `"messages":[{"role":"user","content":"${mark}"},{"role":"assistant","content":null,"tool_calls":[${calls.join(',')}]},${results.join(',')}]`;
  },
  'many parts': (chars, mark) =>
    `"messages":[{"role":"user","content":[{"type":"text","text":"${mark}"},${fill(chars, () => '{"type":"text","text":"a"}')}]}]`,
  'many fields': (chars, mark) => {
    const fields = (from: number) => Array.from({ length: 8_000 }, (_, at) => `"m${from + at}":1`).join(',');
    return `"messages":[{"role":"user","content":"${mark}"}],"metadata":[${fill(chars, (at) => `{${fields(8_000 * at)}}`)}]`;
  },
  'fields with escapes': (_, mark) =>
    `"messages":[{"role":"user","content":"${mark}"}],${Array.from({ length: 16_000 }, (_each, at) => `"\\u006d${at}":1`).join(',')}`,
  'deep values': (chars, mark) =>
    `"messages":[{"role":"user","content":"${mark}"}],"metadata":[${fill(chars / 2, () => `${'['.repeat(100)}${']'.repeat(100)}`)}]`,
  'many numbers': (_, mark) =>
    `"messages":[{"role":"user","content":"${mark}"}],"logit_bias":[12345678901234567890${',1'.repeat(500_000)}]`,
  'many tools': (_, mark) =>
    `"messages":[{"role":"user","content":"find the user id of ${mark}"}],"tools":[${Array.from(
      { length: 4_096 },
      (_each, at) =>
        `{"type":"function","function":{"name":"get_user_id_${at}","description":"Gets the user id ${at} of ${mark}. ${'Words of it. '.repeat(16)}","parameters":{"type":"object","properties":{"user_id":{"type":"string","description":"user id"},"id":{"type":"string"}}}}}`,
    ).join(',')}]`,
  'long tool names': (chars, mark) =>
    `"messages":[{"role":"user","content":"${mark}"}],"tools":[${Array.from({ length: 16 }, (_each, at) => `{"type":"function","function":{"name":"${mark}_${at}_${'get_User1-'.repeat(chars / 160)}","parameters":{}}}`).join(',')}]`,
  'a large schema': (chars, mark) =>
    `"messages":[{"role":"user","content":"${mark}"}],"tools":[${Array.from({ length: 16 }, (_each, tool) => `{"type":"function","function":{"name":"tool_${tool}","description":"${mark}","parameters":{"type":"object","properties":{${fill(chars / 16, (at) => `"p${at}" : {"type" : "string","title":"p${at}","description":"The p${at}."}`)}}}}}`).join(',')}]`,
  'many allowed tools': (chars, mark) =>
    `"messages":[{"role":"user","content":"${mark}"}],"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[${fill(chars, (at) => `{"type":"function","function":{"name":"f${at}"}}`)}]}}`,
};
