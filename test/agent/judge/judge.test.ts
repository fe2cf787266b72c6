import { describe, expect, it } from 'vitest';
import { createJudge } from '../../../agent/judge/judge.ts';
import { finalReward, readVote, stepValue } from '../../../agent/judge/score.ts';
import type { Asker, Policy, Reply, ReplyRequest } from '../../../agent/policy.ts';
import type { JudgedStep } from '../../../agent/rollout.ts';
import { fault, success } from '../../../basics/result.ts';
import { infra } from '../../../schemas/outcome.ts';

type Answer =
  | string
  | { cut: string }
  | Extract<Awaited<ReturnType<Policy['reply']>>, { ok: false }>['fault'];

/** A judge that answers each vote by its seed, and keeps what it was asked. */
function scripted(answers: Answer[]): { asker: Asker; asked: ReplyRequest[] } {
  const asked: ReplyRequest[] = [];
  const policy: Policy = {
    parameters: () => ({}),
    dropped: () => [],
    reply: async (request) => {
      asked.push(request);
      const answer = answers[request.seed - 40]!;
      if (typeof answer === 'string') return success(reply(answer));
      return 'cut' in answer ? success({ ...reply(answer.cut), truncated: true }) : fault(answer);
    },
  };
  return { asker: { policy, seed: 40, session: 'a__b-1#0' }, asked };
}

function reply(content: string): Reply {
  return {
    content,
    reasoning: null,
    toolCalls: [],
    finishReason: 'stop',
    truncated: false,
    maxTokens: null,
    promptTokens: null,
    completionTokens: null,
    cost: null,
    tokens: null,
    timing: { waited: 0, took: 1, attempts: 1 },
  };
}

const settings = { votes: 3, history_steps: 8, skip_submit: true };
const never = new AbortController().signal;

function step(some: Partial<JudgedStep> = {}): JudgedStep {
  return {
    index: 4,
    problem_statement: 'It breaks.',
    reply: 'THOUGHT: look\n```\nls\n```',
    command: 'ls',
    exitCode: 0,
    output: 'setup.py',
    submits: false,
    earlier: [],
    ...some,
  };
}

describe('a vote', () => {
  it.each([
    ['\\boxed{1}', 1],
    ['so it is \\boxed{+1}.', 1],
    ['\\boxed{-1}', -1],
    ['\\boxed{ -1.0 }', -1],
    ['\\boxed{1.0000000001}', 1],
    ['\\boxed{1} and then \\boxed{-1}', 1],
    ['<think>\\boxed{1} or \\boxed{-1}?</think>\\boxed{-1}', -1],
    ['\\boxed{0}', null],
    ['\\boxed{2}', null],
    ['\\boxed{1.5}', null],
    ['\\boxed{\\text{1}}', null],
    ['\\boxed{+1 or -1} \\boxed{1}', null],
    ['\\boxed{}', null],
    ['\\boxed{1', null],
    ['boxed{1}', null],
    ['+1', null],
    ['', null],
  ] as const)('%s is %s', (text, vote) => {
    expect(readVote(text)).toBe(vote);
  });
});

describe('values', () => {
  it('are the mean of the votes that could be read, 0 without any', () => {
    expect(stepValue([1, 1, -1])).toBeCloseTo(1 / 3);
    expect(stepValue([1, null, null])).toBe(1);
    expect(stepValue([1, null, -1])).toBe(0);
    expect(stepValue([null, null])).toBe(0);
  });

  it('enter the final reward by their mean and the coefficient', () => {
    expect(finalReward(1, [1, 0, -1, 1], 1)).toBe(1.25);
    expect(finalReward(0, [1, 1], 0.5)).toBe(-0.5);
    expect(finalReward(0, [], 1)).toBe(-1);
    expect(finalReward(1, [-1, -1], 0)).toBe(1);
  });
});

describe('a judge', () => {
  it('asks for all votes at once, each with its own seed, and gives their mean', async () => {
    const { asker, asked } = scripted(['\\boxed{1}', 'I do not know', '\\boxed{1}']);
    expect(await createJudge(settings, asker).score(step(), never)).toEqual({
      value: 1,
      votes: [1, null, 1],
    });
    expect(asked.map(({ seed, session, tools }) => [seed, session, tools])).toEqual([
      [40, 'a__b-1#0', []],
      [41, 'a__b-1#0', []],
      [42, 'a__b-1#0', []],
    ]);
  });

  it('takes no vote from a reply that was cut: its thought may name any score', async () => {
    const cut = { cut: 'It may be \\boxed{1}, but if the test fails, it is \\boxed{-1}. Let me' };
    const { asker } = scripted([cut, '\\boxed{-1}', cut]);
    expect(await createJudge(settings, asker).score(step(), never)).toEqual({
      value: -1,
      votes: [null, -1, null],
    });
  });

  it('has all votes under way before the first answer', async () => {
    let under = 0;
    let most = 0;
    const { asker } = scripted(['\\boxed{1}', '\\boxed{1}', '\\boxed{1}']);
    const { policy } = asker;
    const slow: Policy = {
      ...policy,
      reply: async (request) => {
        most = Math.max(most, ++under);
        await new Promise(setImmediate);
        under -= 1;
        return policy.reply(request);
      },
    };
    await createJudge(settings, { ...asker, policy: slow }).score(step(), never);
    expect(most).toBe(3);
  });

  it('leaves the submitting step out, unless told otherwise', async () => {
    const { asker, asked } = scripted(['\\boxed{1}', '\\boxed{1}', '\\boxed{1}']);
    expect(await createJudge(settings, asker).score(step({ submits: true }), never)).toBeNull();
    expect(asked).toEqual([]);
    const all = createJudge({ ...settings, skip_submit: false }, asker);
    expect(await all.score(step({ submits: true }), never)).toMatchObject({ value: 1 });
  });

  it('rejects with a fault of the endpoint, and takes a prompt that is too long as no vote', async () => {
    const gone = infra('endpoint', 'gone');
    const { asker } = scripted(['\\boxed{1}', gone, '\\boxed{1}']);
    await expect(createJudge(settings, asker).score(step(), never)).rejects.toEqual(gone);
    const long = scripted(['\\boxed{-1}', { status: 'context-exceeded', detail: 'too long' }, '\\boxed{-1}']);
    expect(await createJudge(settings, long.asker).score(step(), never)).toEqual({
      value: -1,
      votes: [-1, null, -1],
    });
  });
});

describe('the question', () => {
  async function question(judged: JudgedStep, historySteps = 8): Promise<string> {
    const { asker, asked } = scripted(['\\boxed{1}']);
    await createJudge({ ...settings, votes: 1, history_steps: historySteps }, asker).score(judged, never);
    expect(asked[0]!.messages.map((message) => message.role)).toEqual(['system', 'user']);
    return asked[0]!.messages[1]!.content;
  }

  it('has the issue, the history, the whole reply and the result, in this order', async () => {
    const text = await question(step());
    const places = [
      '## Issue Description\nIt breaks.',
      '## Recent History (0 steps)\nNone (this is the first step)',
      '## Current Step to Evaluate (step 5)\nTHOUGHT: look\n```\nls\n```',
      'Execution result (returncode=0):\nsetup.py',
      '\\boxed{1} or \\boxed{-1}',
    ].map((part) => text.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('numbers steps by their true place and shows the newest of them', async () => {
    // Step 2 had no well-formed action, so no step with index 1 was executed.
    const earlier = [0, 2, 3].map((index) => ({
      index,
      command: `c${index}`,
      exitCode: index,
      output: `o${index}`,
    }));
    const text = await question(step({ earlier }), 2);
    expect(text).toContain(
      '## Recent History (2 steps)\nStep 3: $ c2\nreturncode=2\noutput:\no2\n\nStep 4: $ c3',
    );
    expect(text).not.toContain('c0');
  });

  it('cuts what is long: the issue, the output at both ends, outputs of the history', async () => {
    const long = (letter: string, size: number) => letter.repeat(size);
    const text = await question(
      step({
        problem_statement: long('p', 8001),
        output: long('a', 2000) + long('😀', 5) + long('b', 2000),
        earlier: [{ index: 0, command: 'c', exitCode: null, output: long('h', 1001) }],
      }),
    );
    expect(text).toContain(`${long('p', 8000)}\n... (truncated)\n`);
    expect(text).not.toContain(long('p', 8001));
    expect(text).toContain(`${long('a', 2000)}\n... (5 characters omitted) ...\n${long('b', 2000)}`);
    expect(text).toContain(
      `returncode=none, it was killed\noutput:\n${long('h', 1000)}\n... (truncated to 1000 chars)`,
    );
    const whole = await question(step({ problem_statement: long('p', 8000), output: long('a', 4000) }));
    expect(whole).not.toContain('truncated');
    expect(whole).not.toContain('omitted');
  });
});
