/** The user of a rollout, who answers when the agent submits: with texts of the project, or by a model that plays the user. */
import { fault, type Result, success } from '../basics/result.ts';
import { type Infra, isFault } from '../schemas/outcome.ts';
import { cutText } from './context/code-points.ts';
import { withoutThoughts } from './judge/score.ts';
import { type Asker, askBeside, type ChatMessage } from './policy.ts';

/** What the user sees of a submission. */
interface Submitted {
  problem_statement: string;
  /** The reply with which the agent submits. */
  reply: string;
  /** All changes of the agent as a diff. */
  diff(): Promise<Result<string, Infra>>;
}

export interface User {
  /** What the user answers to a submission; null: nothing, and the work counts. A fault is one of the model's endpoint. */
  answer(submitted: Submitted, signal: AbortSignal): Promise<Result<string | null, Infra>>;
}

/** A user with fixed texts, one for each submission. */
export function scriptedUser(texts: readonly string[]): User {
  const left = [...texts];
  return { answer: async () => success(left.shift() ?? null) };
}

/**
 * A user that a model plays. `wants`: what the user knows beyond the task. A submission counts after `turns` answers. It also counts when the
 * model writes DONE or nothing, when its reply is cut at the token limit, and when a content filter or a prompt that is too long leaves no reply.
 */
export function modelUser({ wants, turns }: { wants: string; turns: number }, asker: Asker): User {
  const answers: string[] = [];
  return {
    async answer(submitted, signal) {
      if (answers.length >= turns) return success(null);
      const diff = await submitted.diff();
      if (!diff.ok) return diff;
      const messages = userPrompt({ ...submitted, wants, diff: diff.value, answers });
      const reply = await askBeside(asker, messages, answers.length, signal);
      if (!reply.ok) return isFault(reply.fault) ? fault(reply.fault) : success(null);
      const answer = reply.value.truncated ? null : readAnswer(reply.value.content);
      if (answer !== null) answers.push(answer);
      return success(answer);
    },
  };
}

/** Characters (code points) of what the model sees of each part. */
const MAX_PART = 8000;

const SYSTEM = `You play the user of a coding assistant. You asked the assistant for a change of a repository. It has handed in its work, and you answer.
Answer as this user would: a few plain sentences about what is wrong, what is missing, or what else you want. Say what you want, not how to write it. Write no code.
If the work does all that you want, answer with the one word DONE.`;

/** The messages for a model that plays the user. */
function userPrompt(shown: {
  problem_statement: string;
  wants: string;
  reply: string;
  diff: string;
  answers: readonly string[];
}): ChatMessage[] {
  const { problem_statement, wants, reply, diff, answers } = shown;
  const sections = [
    `## What you asked for\n${cut(problem_statement)}`,
    ...(wants.trim() === '' ? [] : [`## What you know and have not said yet\n${cut(wants)}`]),
    ...answers.map((answer, at) => `## Your answer ${at + 1}, which the assistant has seen\n${cut(answer)}`),
    `## What the assistant wrote when it handed in\n${cut(reply)}`,
    `## Its changes\n${diff === '' ? '(none)' : cut(diff)}`,
    'Your answer, or DONE:',
  ];
  return [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: sections.join('\n\n') },
  ];
}

/** What the user says, without thoughts; null: nothing more. */
function readAnswer(reply: string): string | null {
  const answer = withoutThoughts(reply).trim();
  return answer === '' || /^\W*done\W*$/i.test(answer) ? null : answer;
}

function cut(text: string): string {
  return cutText(text, MAX_PART);
}
