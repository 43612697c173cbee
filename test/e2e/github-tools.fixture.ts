import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type OpenAI from 'openai';

export type FunctionTool = Extract<OpenAI.ChatCompletionTool, { type: 'function' }>;

const file = join(import.meta.dirname, '../../libs/testing/data/github-tools.json');

/** The 117 tools of GitHub's MCP server, in the chat-completions format. */
export const githubTools = JSON.parse(readFileSync(file, 'utf8')) as FunctionTool[];
