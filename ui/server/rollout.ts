/** One rollout as the page shows it. Prompts, tokens and logs are large and have their own routes. */

import type { Answer } from '../../app/answers.ts';
import { answerUnder, rolloutOf, type ValidationView, validationVerdict } from '../../app/view/item-view.ts';
import { bytesOf, inMemory, type LogRange, logRange } from '../../app/view/log-range.ts';
import { readText } from '../../cache/cache.ts';
import { splitAddress } from '../../compiler/graph.ts';
import { addressOf } from '../../contract/stage.ts';
import type { GradeVerdict } from '../../grading/grade-verdict.ts';
import { parseTrajectory } from '../../schemas/trajectory.ts';
import type { PromptView, RolloutPage, StepView } from '../shapes.ts';
import type { LiveProject } from './live-project.ts';
import { isInRows, keyOf } from './rows.ts';

/** Characters of an observation that come with its step. */
const OBSERVATION = 20_000;
const MAX_PATCH = 400_000;

/** The parts of an item's address, or null when the project has no such item. */
function placeOf({ snapshot }: LiveProject, item: string): { address: string; name: string } | null {
  const [address, name] = splitAddress(item);
  return snapshot.end.nodes.has(address) ? { address, name: name ?? '' } : null;
}

export async function answerOf(project: LiveProject, item: string): Promise<Answer | null> {
  const place = placeOf(project, item);
  if (place === null) return null;
  const { session, end } = project.snapshot;
  const { state, blocked } = end.nodes.get(place.address)!;
  if (!isInRows(state.node)) {
    const entry = blocked === null ? state.entry(place.name) : null;
    return answerUnder(session, place.address, place.name, entry?.key ?? null);
  }
  const number = keyOf(await project.rows(), state.node, place.name);
  return answerUnder(
    session,
    place.address,
    place.name,
    number === null ? null : project.tally.keys.text(number),
  );
}

export async function rolloutPage(project: LiveProject, item: string): Promise<RolloutPage | null> {
  const answer = await answerOf(project, item);
  if (answer === null) return null;
  const { session, end } = project.snapshot;
  const { node } = end.nodes.get(answer.address)!.state;
  if (!['rollouts', 'predict', 'grade'].includes(node.stage)) return null;
  const view = await rolloutOf(session, end, answer, {
    withLog: false,
    find: (address, name) => answerOf(project, `${address}@${name}`),
  });
  const { trajectory, steps, grade, ...rest } = view;
  const row = (await project.rows()).find(node.dataset, view.instance);
  const shown = grade === null ? null : { ...grade, log: undefined };
  return {
    ...rest,
    patch: rest.patch.slice(0, MAX_PATCH),
    dataset: node.dataset,
    exit: trajectory?.exit_status ?? '',
    exitDetail: trajectory?.exit_detail ?? '',
    agent: trajectory === null ? '' : `${trajectory.agent.type}, ${trajectory.agent.dialect}`,
    model: trajectory?.model?.identity ?? '',
    steps: steps.map(cutStep),
    grade: shown as RolloutPage['grade'],
    group: (row?.samples ?? []).map(
      ({ stage, sample }) => `${stage}.${node.dataset}@${view.instance}#${sample}`,
    ),
  };
}

function cutStep(step: StepView | Omit<StepView, 'cut'>): StepView {
  let cut = false;
  const actions = step.actions.map((action) => {
    const { observation } = action;
    if (observation === null || observation.output.length <= OBSERVATION) return action;
    cut = true;
    const { output } = observation;
    const half = OBSERVATION / 2;
    const between = `\n… ${output.length - OBSERVATION} characters left out …\n`;
    return {
      ...action,
      observation: { ...observation, output: output.slice(0, half) + between + output.slice(-half) },
    };
  });
  return { ...step, actions, cut };
}

/** The exact prompt of a call, and the reply. */
export async function promptOf(project: LiveProject, item: string, call: number): Promise<PromptView | null> {
  const answer = await answerOf(project, item);
  const text = await readText(project.snapshot.session.cache, answer?.record.outputs.trajectory);
  if (text === null) return null;
  const { messages, calls } = parseTrajectory(text);
  const made = calls[call];
  if (made === undefined) return null;
  const { tokens } = made;
  return {
    call,
    messages: made.prompt.map((part) => {
      if (typeof part !== 'number')
        return { role: part.role, content: part.content, standsFor: part.stands_for };
      const message = messages[part]!;
      const tools = (message.tool_calls ?? []).map(({ name, arguments: given }) => `${name}(${given})`);
      return { role: message.role, content: [message.content, ...tools].join('\n'), standsFor: null };
    }),
    reply: made.reply === null ? '' : (messages[made.reply]?.content ?? ''),
    tokens:
      tokens === null
        ? null
        : {
            prompt: tokens.shared + tokens.prompt_ids.length,
            written: tokens.ids.length,
            shared: tokens.shared,
            ids: tokens.ids.slice(0, 4000),
            logprobs: tokens.logprobs?.slice(0, 4000) ?? null,
          },
  };
}

/** A part of an item's log. For an item without an answer, the log of its last fault in the journal. */
export async function logOf(project: LiveProject, item: string, at: number): Promise<LogRange | null> {
  const { cache, services } = project.snapshot.session;
  const fault = project.live.faults.get(item);
  const bytes =
    bytesOf(cache, (await answerOf(project, item))?.record.notes.log) ??
    (fault === undefined || fault.log === '' ? null : inMemory(Buffer.from(fault.log)));
  return bytes === null ? null : logRange(bytes, at, services.secrets);
}

export async function validationOf(
  project: LiveProject,
  item: string,
): Promise<Omit<ValidationView, 'log'> | null> {
  const answer = await answerOf(project, item);
  return answer === null ? null : validationVerdict(project.snapshot.session, answer);
}

/** The verdict on a rollout's item. */
export async function verdictOf(project: LiveProject, item: string): Promise<GradeVerdict | null> {
  const place = placeOf(project, item);
  if (place === null) return null;
  const { dataset } = project.snapshot.end.nodes.get(place.address)!.state.node;
  const grade = await answerOf(project, `${addressOf('grade', dataset)}@${place.name}`);
  const text = await readText(project.snapshot.session.cache, grade?.record.outputs.verdict);
  return text === null ? null : (JSON.parse(text) as GradeVerdict);
}
