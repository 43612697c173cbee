import { isDeepStrictEqual } from 'node:util';
import type { ChatTool, JsonObject, ToolChoice } from '@gateway/interchange';
import {
  asList,
  asObject,
  asText,
  isEmpty,
  isObject,
  optional,
  otherMembers,
} from '../../json/read-members.ts';
import { camelMembers, own } from '../shared/own-members.ts';
import { renderFunctionCalling } from '../shared/settings.ts';
import { toJsonSchema } from '../shared/schema.ts';

/** Parses the tool list. Each function and each built-in tool becomes a separate tool. */
export function parseTools(tools: unknown): ChatTool[] {
  return asList(tools).filter(isObject).flatMap(parseTool);
}

function parseTool(raw: JsonObject): ChatTool[] {
  const { functionDeclarations, ...others } = camelMembers(raw);
  const functions = asList(functionDeclarations).filter(isObject).map(parseFunction);
  const builtIns = Object.entries(others).map(([name, value]): ChatTool => ({
    kind: 'built-in',
    extensions: own.of({ [name]: value }),
  }));
  return [...functions, ...builtIns];
}

function parseFunction(raw: JsonObject): ChatTool {
  const declaration = camelMembers(raw);
  const { parameters, parametersJsonSchema } = declaration;
  const rest = otherMembers(declaration, ['name', 'description', 'parameters', 'parametersJsonSchema']);
  const schema = parametersJsonSchema ?? toJsonSchema(parameters);
  const spelling =
    parametersJsonSchema === undefined ? optional('parameters', parameters) : { parametersJsonSchema };
  return {
    kind: 'function',
    name: asText(declaration.name) ?? '',
    ...optional('description', asText(declaration.description)),
    ...(schema === undefined ? {} : { parameters: schema }),
    ...own.with({ ...rest, ...optional('spelling', spelling) }),
  };
}

export interface ReadToolConfig {
  readonly toolChoice: ToolChoice;
  readonly rest: JsonObject;
  /** The client's spelling of the tool choice, if the parsed tool choice does not contain all fields. */
  readonly spelling: JsonObject;
}

export function parseToolConfig(raw: unknown): ReadToolConfig {
  const { functionCallingConfig, ...others } = camelMembers(asObject(raw) ?? {});
  const config = camelMembers(asObject(functionCallingConfig) ?? {});
  const toolChoice = parseChoice(config);
  const spelled = pickChoice(config);
  const isCarried = isDeepStrictEqual(renderFunctionCalling(toolChoice), spelled);
  const configRest = otherMembers(config, ['mode', 'allowedFunctionNames']);
  return {
    toolChoice,
    rest: { ...others, ...optional('functionCallingConfig', configRest) },
    spelling: isCarried || isEmpty(spelled) ? {} : { functionCallingConfig: spelled },
  };
}

function pickChoice({ mode, allowedFunctionNames }: JsonObject): JsonObject {
  return { ...optional('mode', mode), ...optional('allowedFunctionNames', allowedFunctionNames) };
}

function parseChoice(config: JsonObject): ToolChoice {
  const names = asList(config.allowedFunctionNames).filter((name) => typeof name === 'string');
  const [name, ...others] = names;
  switch (config.mode) {
    case 'NONE':
      return { mode: 'none' };
    case 'ANY':
      if (name === undefined) return { mode: 'required' };
      return others.length === 0 ? { mode: 'tool', name } : { mode: 'allowed', names, required: true };
    case 'VALIDATED':
      return name === undefined ? { mode: 'auto' } : { mode: 'allowed', names };
    case 'AUTO':
      return { mode: 'auto' };
    default:
      return { mode: 'unset' };
  }
}
