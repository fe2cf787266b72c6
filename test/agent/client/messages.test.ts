import { expect, test } from 'vitest';
import { wireMessages } from '../../../agent/client/messages.ts';

test('thoughts that an agent sends back reach the model', () => {
  const call = { id: 'c', name: 'bash', arguments: '{}' };
  const messages = [
    { role: 'user' as const, content: 'a' },
    { role: 'assistant' as const, content: 'b', reasoning: 'hm' },
    { role: 'assistant' as const, content: '', reasoning: 'ha', tool_calls: [call] },
    { role: 'assistant' as const, content: 'c' },
  ];
  expect(wireMessages(messages, true)).toEqual([
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b', reasoning_content: 'hm' },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'ha',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'bash', arguments: '{}' } }],
    },
    { role: 'assistant', content: 'c' },
  ]);
});
