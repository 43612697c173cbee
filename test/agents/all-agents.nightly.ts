/** Tests every agent in every format. `agents.spec.ts` tests only a selection of agents and formats. */
import { testSubjects } from './compare-sessions.fixture.ts';

testSubjects([
  { name: 'opencode', format: 'chat-completions' },
  { name: 'opencode', format: 'messages' },
  { name: 'opencode', format: 'responses' },
  { name: 'opencode', format: 'chat-completions', servers: true },
  { name: 'opencode', format: 'messages', servers: true },
  { name: 'opencode', format: 'responses', servers: true },
  { name: 'continue', format: 'messages' },
  { name: 'pi', format: 'chat-completions' },
  { name: 'pi', format: 'responses' },
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
]);
