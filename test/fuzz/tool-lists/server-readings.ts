import { items, member, parseRaw, parsers, RawObject, type Parser, type Raw } from './lenient-json.ts';

/** Returns the tools that a server would offer its model, by the names that the model can call. */
export function toolsSeen(body: Buffer): ReadonlySet<string> {
  const text = body.toString('utf8');
  const root = parseRaw(text);
  const seen = new Set<string>();
  for (const parser of parsers) new Reading(parser, seen).readBody(root);
  return seen;
}

const toolLists = ['tools', 'functions', 'additional_tools'];
const extraObjects = ['additionalModelRequestFields', 'extra_body'];

/** Parses a body as tolerantly as any server might, and collects every field that some API interprets as a tool. */
class Reading {
  readonly #parser: Parser;
  readonly #seen: Set<string>;

  constructor(parser: Parser, seen: Set<string>) {
    this.#parser = parser;
    this.#seen = seen;
  }

  readBody(body: Raw | undefined): void {
    for (const name of toolLists) this.#readTools(this.#get(body, name));
    this.#readTools(this.#get(this.#get(body, 'toolConfig'), 'tools'));
    for (const server of items(this.#get(body, 'mcp_servers'))) {
      this.#add('mcp');
      this.#add(this.#get(server, 'name'));
      this.#readNames(this.#get(this.#get(server, 'tool_configuration'), 'allowed_tools'));
    }
    for (const name of ['web_search_options', 'search_parameters'])
      if (this.#get(body, name) instanceof RawObject) this.#add('web_search');
    if (this.#get(body, 'enable_search') === true) this.#add('web_search');
    for (const plugin of items(this.#get(body, 'plugins'))) this.#add(this.#get(plugin, 'id'));
    for (const name of ['messages', 'input'])
      for (const item of items(this.#get(body, name)))
        for (const list of toolLists) this.#readTools(this.#get(item, list));
    for (const name of extraObjects) this.#readExtra(this.#get(body, name));
  }

  #readExtra(value: Raw | undefined): void {
    for (const item of items(value)) this.#readExtra(item);
    if (!(value instanceof RawObject)) return;
    this.readBody(value);
    for (const [, inner] of value.entries) this.#readExtra(inner);
  }

  #readTools(list: Raw | undefined): void {
    for (const tool of items(list)) this.#readTool(tool);
  }

  #readTool(tool: Raw): void {
    this.#add(tool);
    const type = this.#get(tool, 'type');
    if (type === 'namespace') {
      this.#readTools(this.#get(tool, 'tools'));
      return;
    }
    this.#add(this.#get(tool, 'name'));
    for (const body of ['function', 'custom', 'toolSpec', 'systemTool'])
      this.#add(this.#get(this.#get(tool, body), 'name'));
    if (type === 'mcp') {
      this.#add('mcp');
      this.#add(this.#get(tool, 'server_label'));
      this.#readNames(this.#get(tool, 'allowed_tools'));
      return;
    }
    if (typeof type === 'string' && !['', 'function', 'custom'].includes(type))
      this.#add(type.replace(/_\d{8}$/, ''));
  }

  #readNames(list: Raw | undefined): void {
    for (const name of items(list)) this.#add(name);
  }

  #get(object: Raw | undefined, name: string): Raw | undefined {
    return member(object, name, this.#parser);
  }

  #add(name: Raw | undefined): void {
    if (typeof name === 'string' && name !== '') this.#seen.add(name);
  }
}
