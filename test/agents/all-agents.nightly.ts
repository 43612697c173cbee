/** Tests every agent in every format. `agents.spec.ts` tests only a selection of agents and formats. */
import { testSubjects } from './compare-sessions.fixture.ts';

testSubjects([
  { name: 'codex', format: 'responses' },
  { name: 'opencode', format: 'chat-completions' },
  { name: 'opencode', format: 'messages' },
  { name: 'opencode', format: 'responses' },
  { name: 'opencode', format: 'chat-completions', servers: true },
  { name: 'opencode', format: 'messages', servers: true },
  { name: 'opencode', format: 'responses', servers: true },
  { name: 'opencode', format: 'messages', servers: true, isSigning: true },
  { name: 'continue', format: 'chat-completions' },
  { name: 'continue', format: 'messages' },
  // Continue cannot read a tool search by the provider, so its guide recommends sending all tools.
  { name: 'continue', format: 'messages', servers: true, isSigning: true, sendsAllTools: true },
  { name: 'pi', format: 'chat-completions' },
  { name: 'pi', format: 'responses' },
  { name: 'qwen-code', format: 'chat-completions' },
  { name: 'qwen-code', format: 'chat-completions', servers: true, compression: 'balanced' },
  { name: 'qwen-code', format: 'messages' },
  { name: 'qwen-code', format: 'messages', servers: true },
  { name: 'cline', format: 'chat-completions' },
  { name: 'cline', format: 'messages' },
  { name: 'cline', format: 'chat-completions', servers: true },
  { name: 'cline', format: 'messages', servers: true },
  { name: 'strands', format: 'chat-completions' },
  { name: 'strands', format: 'messages' },
  { name: 'strands', format: 'chat-completions', servers: true },
  { name: 'strands', format: 'messages', servers: true },
  { name: 'strands', format: 'messages', servers: true, isSigning: true },
]);
