/** What answers in place of the policy: for each rollout a script, so that a few rollouts meet everything that a training meets. */
import { bashAction, type Written } from '../../agent/actions/action.ts';
import { oracleKind } from '../../agent/kinds/oracle/kind.ts';
import type { ReplyRequest } from '../../agent/policy.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { Speech } from './speech.ts';

/** What a script does with one call. */
export type Move =
  | { kind: 'say'; written: Written; waits?: number; spelled?: true }
  /** Text without an end: the limit of a reply cuts it. */
  | { kind: 'overlong'; text: string }
  /** The connection ends without an answer. */
  | { kind: 'drop' };

export interface Script {
  name: string;
  /** `turn`: from 0. `attempt`: how often this turn was asked for before. */
  move(turn: number, attempt: number): Move;
}

export interface Task {
  problem: string;
  /** The known solution, as a diff. */
  solution: string;
}

const LOOKS = ['ls', 'git log --oneline | head -3', 'ls -la', 'pwd', 'git status --short', 'ls | head -5'];
/** Long, and no compiler nor test runner is needed. */
const LOOK_LONG = 'seq 1000000 1001400';
/** Calls after which a script that meets no limit gives up. */
const MOST = 18;
const SLOW_MS = 1500;
/** What scripts say most: a tokenizer that learned it has tokens of several letters for it. */
export const SPOKEN = 'THOUGHT: I look around. THOUGHT: I read all of it. THOUGHT: I am done.';

export const SCRIPT_NAMES = [
  'solved',
  'unsolved',
  'overflow',
  'format',
  'overlong',
  'slow',
  'dropped',
] as const;
export type ScriptName = (typeof SCRIPT_NAMES)[number];

/** Answers a request that asks for no action, such as one for a title. */
export const ASIDE: Move = { kind: 'say', written: { content: 'A task', toolCalls: [] } };

/** The replies of one rollout, written as `speech` says; `tag` stands in each of them. */
export async function scriptOf(
  name: ScriptName,
  { settings, speech }: { settings: AgentSettings; speech: Speech },
  task: Task,
  tag: string,
): Promise<Script> {
  const { format } = speech;
  const act = (thought: string, command: string): Written =>
    format.write(`THOUGHT: ${tag} ${thought}`, bashAction(command));
  const say = (written: Written, more: object = {}): Move => ({ kind: 'say', written, ...more });
  const look = (turn: number) => say(act('I look around.', LOOKS[turn % LOOKS.length]!));
  const submit = say(format.write(`THOUGHT: ${tag} I am done.`, speech.submit));
  const solve = await solution(settings, speech, task.solution, tag);
  const list = (moves: readonly Move[]) => (turn: number) => moves[Math.min(turn, moves.length - 1)]!;
  const scripts: Record<ScriptName, Script['move']> = {
    solved: list([...LOOKS.map((_, turn) => look(turn)), solve, submit]),
    // Its first words are spelled in other tokens than a tokenizer would take: a model may do that.
    unsolved: list([say(act('I look around.', 'ls'), { spelled: true }), look(1), submit]),
    overflow: (turn) => (turn < MOST ? say(act('I read all of it.', LOOK_LONG)) : submit),
    format: list([say({ content: `${tag} I would look at the files.`, toolCalls: [] }), solve, submit]),
    overlong: list([{ kind: 'overlong', text: `THOUGHT: ${tag} I think at length. ` }, solve, submit]),
    slow: list([say(act('I look around.', 'ls'), { waits: SLOW_MS }), solve, submit]),
    dropped: (turn, attempt) =>
      turn === 1 && attempt === 0 ? { kind: 'drop' } : list([look(0), solve, submit])(turn),
  };
  return { name, move: (turn, attempt) => numbered(scripts[name](turn, attempt), tag, turn + 1) };
}

/** With the number of the turn behind the tag, so that no two replies are the same ids. */
function numbered(move: Move, tag: string, turn: number): Move {
  const withTurn = (text: string) => text.replace(tag, `${tag} ${turn}.`);
  if (move.kind === 'drop') return move;
  if (move.kind === 'overlong') return { ...move, text: withTurn(move.text) };
  return { ...move, written: { ...move.written, content: withTurn(move.written.content) } };
}

/** The reply that applies the known solution, as the oracle writes it. */
async function solution(settings: AgentSettings, speech: Speech, diff: string, tag: string): Promise<Move> {
  const reply = await oracleKind.script!.policy(speech, settings, diff).reply({} as ReplyRequest);
  if (!reply.ok) throw new Error('the oracle answers always');
  const { content, toolCalls } = reply.value;
  return { kind: 'say', written: { content: `${tag} ${content}`, toolCalls } };
}
