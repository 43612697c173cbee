import type { Random } from './random.ts';

/** The endpoints that accept requests with tools. */
export const endpoints = ['chat-completions', 'messages', 'converse', 'responses'] as const;
export type Endpoint = (typeof endpoints)[number];

/** The members of a JSON object in their order of appearance, as a list of pairs, because JSON keys may repeat. */
type Members = [key: string, value: Value][];
type Value = string | number | boolean | null | Value[] | { readonly members: Members };

const object = (...members: Members): Value => ({ members });

/** The tool names that the generated API keys allow or deny. */
export const permitted = ['read', 'list_files', 'crm', 'Erase', 'еrase', 'erase ', 'x'.repeat(250)] as const;
export const denied = [
  'erase',
  'web_search',
  'code_interpreter',
  'mcp',
  'bash',
  'shop',
  'drop_table',
] as const;

/** Returns a spelling of a field name that at least one server's parser accepts. */
function spellings(random: Random, name: string): string {
  if (!random.chance(0.03)) return name;
  return random.pick([
    name.toUpperCase(),
    name.charAt(0).toUpperCase() + name.slice(1),
    name.replace('s', 'ſ'),
    name.replace('k', '\u212a'),
    name.replaceAll('_', ''),
    name.replaceAll('_', '-'),
    `${name}_`,
    `${name}\0x`,
    ` ${name}`,
  ]);
}

/** Writes requests that try to use denied tools. The same seed always gives the same requests. */
export class RequestWriter {
  readonly #random: Random;
  readonly #provider: string;

  /** @param provider the provider prefix of the model name, for example `openai/` */
  constructor(random: Random, provider = '') {
    this.#random = random;
    this.#provider = provider;
  }

  write(endpoint: Endpoint): Buffer {
    const random = this.#random;
    const members = this.#spoil([...this.#frame(endpoint), ...this.#toolMembers(endpoint)]);
    const text = this.#render({ members });
    if (random.chance(0.01)) return Buffer.from(`\ufeff${text}`);
    if (random.chance(0.01)) return Buffer.from(`${text}{"tools":[{"name":"erase"}]}`);
    return Buffer.from(text);
  }

  #frame(endpoint: Endpoint): Members {
    if (endpoint === 'converse')
      return [['messages', [object(['role', 'user'], ['content', [object(['text', 'hi'])]])]]];
    const said = object(
      ['role', 'user'],
      ['content', 'hi'],
      ...this.#sometimes(0.05, () => this.#listMember('tools')),
    );
    const loaded = object(
      ['type', this.#random.pick(['additional_tools', 'tool_search_output', 'mcp_list_tools'])],
      this.#listMember('tools'),
    );
    const conversation = endpoint === 'responses' ? 'input' : 'messages';
    const items = [said, ...(endpoint === 'responses' && this.#random.chance(0.2) ? [loaded] : [])];
    return [
      ['model', `${this.#provider}m`],
      [conversation, items],
      ...(endpoint === 'messages' ? ([['max_tokens', 5]] satisfies Members) : []),
    ];
  }

  #toolMembers(endpoint: Endpoint): Members {
    const random = this.#random;
    const names = endpoint === 'converse' ? [] : ['tools', ...(random.chance(0.2) ? ['functions'] : [])];
    const own: Members = names.map((name) => this.#listMember(name));
    if (endpoint === 'converse')
      own.push([
        'toolConfig',
        object(...this.#spoil([this.#listMember('tools'), ...this.#choice('toolChoice')])),
      ]);
    else own.push(...this.#choice('tool_choice'));
    if (random.chance(0.1)) own.push(['mcp_servers', random.list(2, () => this.#server())]);
    if (random.chance(0.1)) own.push([random.pick(['web_search_options', 'search_parameters']), object()]);
    if (random.chance(0.05)) own.push(['plugins', [object(['id', this.#name()])]]);
    if (random.chance(endpoint === 'converse' ? 0.4 : 0.1))
      own.push([endpoint === 'converse' ? 'additionalModelRequestFields' : 'extra_body', this.#extra(2)]);
    return own;
  }

  #extra(depth: number): Value {
    const random = this.#random;
    const inner: Members =
      depth === 0 ? [] : [['google', random.chance(0.5) ? this.#extra(depth - 1) : [this.#extra(depth - 1)]]];
    return object(...this.#spoil([['top_k', 3], this.#listMember('tools'), ...inner]));
  }

  #listMember(name: string): [string, Value] {
    const random = this.#random;
    if (random.chance(0.02)) return [name, random.pick([3, 'erase', object(['name', 'erase']), null])];
    return [name, random.list(4, () => this.#tool())];
  }

  #tool(): Value {
    const random = this.#random;
    const name = this.#name();
    const shape = random.below(14);
    const body = (): Value =>
      object(
        ...this.#spoil([
          ['name', this.#nameValue(name)],
          ['parameters', object()],
        ]),
      );
    switch (shape) {
      case 0:
        return object(
          ...this.#spoil([
            ['type', 'custom'],
            ['custom', body()],
          ]),
        );
      case 1:
        return object(
          ...this.#spoil([
            ['name', this.#nameValue(name)],
            ['input_schema', object()],
          ]),
        );
      case 2:
        return object(...this.#spoil([['toolSpec', body()]]));
      case 3:
        return object([
          'type',
          random.pick(['web_search', 'code_interpreter', 'bash_20250124', 'web_search_20250305']),
        ]);
      case 4:
        return object(['type', random.pick(['web_search_20250305', 'bash_20250124'])], ['name', name]);
      case 5:
        return object(
          ...this.#spoil([
            ['type', 'mcp'],
            ['server_label', name],
            ['server_url', 'https://m.example'],
            ['allowed_tools', random.list(3, () => this.#name())],
          ]),
        );
      case 6:
        return object(['type', 'custom'], ['custom', object(['name', this.#name()])], ['function', body()]);
      case 7:
        return object(['type', 'function'], ['name', this.#name()], ['function', body()]);
      case 8:
        return object(['type', 'namespace'], ['name', 'crm'], this.#listMember('tools'));
      case 9:
        return random.pick([
          3,
          null,
          [],
          'erase',
          object(),
          object(['cachePoint', object(['type', 'default'])]),
        ]);
      default:
        return object(
          ...this.#spoil([
            ['type', 'function'],
            ['function', body()],
          ]),
        );
    }
  }

  #server(): Value {
    const configuration = object(
      ...this.#spoil([['allowed_tools', this.#random.list(2, () => this.#name())]]),
    );
    return object(
      ['type', 'url'],
      ['name', this.#name()],
      ...this.#sometimes(0.7, () => ['tool_configuration', configuration]),
    );
  }

  #choice(name: string): Members {
    const random = this.#random;
    if (!random.chance(0.3)) return [];
    const forced = object(['name', this.#name()]);
    return [
      [
        name,
        random.pick<Value>([
          'auto',
          object(['type', 'function'], ['function', forced]),
          object(['tool', forced]),
          object(['auto', object()]),
          object(
            ['type', 'allowed_tools'],
            ['mode', 'auto'],
            ['tools', [object(['type', 'function'], ['name', this.#name()])]],
          ),
        ]),
      ],
    ];
  }

  #name(): string {
    return this.#random.chance(0.45) ? this.#random.pick(denied) : this.#random.pick(permitted);
  }

  #nameValue(name: string): Value {
    if (!this.#random.chance(0.03)) return name;
    return this.#random.pick([7, [name], null, object(['name', name]), '', `${name}\ud800`]);
  }

  #sometimes(share: number, member: () => [string, Value]): Members {
    return this.#random.chance(share) ? [member()] : [];
  }

  /** Repeats, reorders and respells the members of a JSON object. */
  #spoil(members: Members): Members {
    const random = this.#random;
    const spelled: Members = members.map(([key, value]) => [spellings(random, key), value]);
    if (random.chance(0.03) && spelled.length > 0) {
      const [key] = random.pick(spelled);
      const other: Value = random.pick<Value>([[object(['name', 'erase'])], 'erase', [], null]);
      spelled.splice(random.below(spelled.length + 1), 0, [spellings(random, key), other]);
    }
    return random.chance(0.3) ? spelled.toReversed() : spelled;
  }

  #render(value: Value): string {
    if (typeof value === 'string') return this.#renderString(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const space = this.#random.pick(['', '', ' ', '\n\t', '\r\n']);
    if (Array.isArray(value)) return `[${space}${value.map((item) => this.#render(item)).join(`,${space}`)}]`;
    const members = value.members.map(
      ([key, inner]) => `${this.#renderString(key)}${space}:${this.#render(inner)}`,
    );
    return `{${members.join(`${space},`)}${space}}`;
  }

  #renderString(text: string): string {
    const json = JSON.stringify(text);
    if (!this.#random.chance(0.05)) return json;
    const escaped = Array.from(text, (character) =>
      character.length === 1 && this.#random.chance(0.4)
        ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
        : JSON.stringify(character).slice(1, -1),
    );
    return `"${escaped.join('')}"`;
  }
}
