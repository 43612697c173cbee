export const toolDefinitions = Symbol('ToolDefinitions');
