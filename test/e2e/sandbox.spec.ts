import { sharedStack } from '@gateway/testing';
import { Ajv } from 'ajv';
import OpenAI from 'openai';
import { githubTools } from './github-tools.fixture.ts';

const stack = sharedStack();
const client = new OpenAI({ baseURL: `${stack.baseUrl}/v1`, apiKey: stack.apiKey });
const model = 'sandbox/sandbox-1';
const question = {
  role: 'user' as const,
  content: 'Star the repository octo/hello for me',
};

describe('the demo, without any provider key', () => {
  it('the sandbox lists its only model and finds the model by its id in any spelling', async () => {
    const models = await client.models.list();
    const choices = ['svc/auto', 'svc/cheap', 'svc/fast', 'svc/capable'];
    expect(models.data.map(({ id }) => id)).toEqual([model, ...choices]);
    await expect(client.models.retrieve(model)).resolves.toMatchObject({ id: model, owned_by: 'sandbox' });
    await expect(client.models.retrieve('sandbox-1')).resolves.toMatchObject({ id: model });
  });

  it('the sandbox responds with text when the request has no tools', async () => {
    const answer = await client.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Grüße 🌍' }],
    });
    expect(answer.choices[0]?.message.content).toContain('Grüße 🌍');
    expect(answer.choices[0]?.finish_reason).toBe('stop');
  });

  it.each([false, true])(
    'the sandbox calls a tool and responds with its result (streamed: %s)',
    async (isStreamed) => {
      const ask = async (messages: OpenAI.ChatCompletionMessageParam[]) => {
        const request = { model, messages, tools: githubTools };
        return isStreamed
          ? client.chat.completions.stream(request).finalChatCompletion()
          : client.chat.completions.create(request);
      };
      const [called] = (await ask([question])).choices;
      const [call] = called?.message.tool_calls ?? [];
      if (call?.type !== 'function') throw new Error('no function was called');
      expect(called?.finish_reason).toBe('tool_calls');
      expect(call.function.name).toBe('star_repository');
      const tool = githubTools.find(({ function: { name } }) => name === call.function.name);
      const takes = new Ajv({ strict: false }).compile(tool?.function.parameters ?? {});
      const given: unknown = JSON.parse(call.function.arguments);
      expect({ fits: takes(given), errors: takes.errors }).toEqual({ fits: true, errors: null });
      expect(given).toMatchObject({ owner: 'octo', repo: 'hello' });

      const answered = await ask([
        question,
        called!.message,
        { role: 'tool', tool_call_id: call.id, content: '42 stars now' },
      ]);
      expect(answered.choices[0]?.finish_reason).toBe('stop');
      expect(answered.choices[0]?.message.content).toContain('42 stars now');
    },
  );
});
