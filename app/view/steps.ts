/** A trajectory as a reader goes through it: what each step thought, did and saw, with its tokens and times. */
import { MAIN } from '../../agent/tree/labels.ts';
import { type Line, linesOf } from '../../agent/tree/lines.ts';
import type {
  ModelCall,
  Trajectory,
  TrajectoryMessage,
  TrajectoryObservation,
  TrajectoryStep,
} from '../../schemas/trajectory.ts';

export interface ShownAction {
  tool: string;
  command: string;
  /** null: it was not run. */
  observation: Pick<TrajectoryObservation, 'output' | 'exit_code' | 'timed_out' | 'truncated'> | null;
}

export interface ShownStep {
  /** From 1. */
  number: number;
  /** The part of the agent that asked, and, where a line of calls begins, a heading for it; null: the agent, whose history goes on. */
  line: { agent: string; heading: string | null } | null;
  /** What the model thought aloud, where the endpoint tells it apart. */
  reasoning: string;
  /** The reply without the actions that it holds. */
  thought: string;
  actions: ShownAction[];
  /** The agent's notice about a reply without a well-formed action; empty otherwise. */
  complaint: string;
  /** Index of its call in the trajectory; its prompt is found there. */
  call: number;
  promptTokens: number | null;
  completionTokens: number | null;
  /** Milliseconds that the model took, and its commands; null: not kept. */
  modelMs: number | null;
  actionsMs: number | null;
  /** What a judge made of it. */
  reward: number | null;
}

/** Times of a rollout, as far as they are needed here. */
export interface StepTimings {
  calls: { took: number }[];
  steps: number[];
}

export function shownSteps(trajectory: Trajectory, timings: StepTimings | null): ShownStep[] {
  const lines = trajectory.tools === undefined ? [] : linesOf(trajectory);
  const headings = new Map(lines.map((line, at) => [line.calls[0]!, headingOf(lines, at)]));
  return trajectory.steps.map((step, index) => {
    const { agent = MAIN } = trajectory.calls[step.call] ?? {};
    const heading = headings.get(step.call) ?? null;
    const line = agent === MAIN && heading === null ? null : { agent, heading };
    return { ...shownStep(trajectory, timings, step, index), line };
  });
}

/** Null for the agent's first line. */
function headingOf(lines: readonly Line[], at: number): string | null {
  const { agent, parent } = lines[at]!;
  if (agent !== MAIN)
    return parent === null ? `${agent} begins` : `${agent} begins, with what the agent was told`;
  const isFirst = !lines.slice(0, at).some((line) => line.agent === MAIN);
  return isFirst ? null : 'the agent begins anew: its history was cut or summarised';
}

function shownStep(
  trajectory: Trajectory,
  timings: StepTimings | null,
  step: TrajectoryStep,
  index: number,
): Omit<ShownStep, 'line'> {
  const call: ModelCall | undefined = trajectory.calls[step.call];
  const at = call?.reply ?? null;
  const reply: TrajectoryMessage | undefined = at === null ? undefined : trajectory.messages[at];
  const next = at === null ? undefined : trajectory.messages[at + 1];
  return {
    number: index + 1,
    reasoning: reply?.reasoning ?? '',
    thought: thoughtOf(reply?.content ?? '', step),
    actions: step.actions.map(({ tool, command }, place) => ({
      tool,
      command,
      observation: step.observations[place] ?? null,
    })),
    complaint: step.actions.length === 0 && next?.kind === 'format-error' ? next.content : '',
    call: step.call,
    promptTokens: call?.prompt_tokens ?? null,
    completionTokens: call?.completion_tokens ?? null,
    modelMs: timings?.calls[step.call]?.took ?? null,
    actionsMs: timings?.steps[index] ?? null,
    reward: step.reward?.value ?? null,
  };
}

/** The text around the actions: blocks that hold one are shown as the action and not twice. */
function thoughtOf(content: string, { actions }: TrajectoryStep): string {
  const commands = actions.map(({ command }) => command.trim()).filter((command) => command !== '');
  const holds = (block: string) => commands.some((command) => block.includes(command));
  return content
    .replace(/^(```|~~~)[^\n]*\n[\s\S]*?^\1[^\n]*$/gm, (block) => (holds(block) ? '' : block))
    .replace(/<function=[\s\S]*?<\/function>/g, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
