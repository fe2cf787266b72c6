/** The steps of a tree of calls: what each reply asked for, and what a later prompt shows of it. */
import type {
  ModelCall,
  TrajectoryAction,
  TrajectoryMessage,
  TrajectoryObservation,
  TrajectoryStep,
} from '../../schemas/trajectory.ts';
import { parseArguments } from '../actions/tool-calls.ts';

/** By call: the one with which its line of work goes on, rather than a call beside it. */
export function continuationsOf(calls: readonly ModelCall[]): Map<number, ModelCall> {
  const next = new Map<number, ModelCall>();
  for (const call of calls) {
    const { parent } = call;
    if (parent === null || parent === undefined) continue;
    const known = next.get(parent);
    if (known === undefined || (known.agent !== calls[parent]!.agent && call.agent === calls[parent]!.agent))
      next.set(parent, call);
  }
  return next;
}

/** A step for each answered call, in their order. */
export function stepsOf(
  messages: readonly TrajectoryMessage[],
  calls: readonly ModelCall[],
): TrajectoryStep[] {
  const next = continuationsOf(calls);
  return calls.flatMap((call, index) => {
    if (call.reply === null) return [];
    const { tool_calls = [] } = messages[call.reply]!;
    const actions = tool_calls.map(({ id, name, arguments: given }): TrajectoryAction => {
      const { command } = parseArguments(given) ?? {};
      const isShell = name === 'bash' && typeof command === 'string';
      return { tool: name, command: isShell ? command : given, tool_call_id: id };
    });
    const observations = observationsIn(messages, call, next.get(index), actions.length);
    return [{ call: index, actions, observations, reward: null }];
  });
}

/** The tools' answers after the reply, up to the first action that the next prompt shows no answer to. */
function observationsIn(
  messages: readonly TrajectoryMessage[],
  { prompt }: ModelCall,
  next: ModelCall | undefined,
  actions: number,
): TrajectoryObservation[] {
  const shown =
    next?.prompt.slice(prompt.length).map((part) => ({ part, message: messages[part as number]! })) ?? [];
  const places = new Map(shown[0]?.message.tool_calls?.map(({ id }, place) => [id, place]));
  const answers = new Map<number, number>();
  for (const [at, { part, message }] of shown.slice(1).entries()) {
    if (message.role !== 'tool') break;
    answers.set(places.get(message.tool_call_id ?? '') ?? at, part as number);
  }
  const found: TrajectoryObservation[] = [];
  for (let message = answers.get(0); message !== undefined && found.length < actions; ) {
    const { content } = messages[message]!;
    found.push({ output: content, exit_code: null, timed_out: false, truncated: false, message });
    message = answers.get(found.length);
  }
  return found;
}
