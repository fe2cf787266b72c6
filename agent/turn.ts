/** One turn of an agent: a call of the model, and what its reply does. */

import { fault, type Result, success } from '../basics/result.ts';
import { type Infra, infra, isFault } from '../schemas/outcome.ts';
import type { ExitStatus, PromptPart } from '../schemas/trajectory.ts';
import { act } from './act.ts';
import type { Malformed } from './actions/action.ts';
import { asInfra } from './as-infra.ts';
import { promptMessages } from './context/prompt.ts';
import { SUMMARY_REQUEST } from './context/summary.ts';
import { summaryDue, viewOf } from './context/view.ts';
import type { Ending } from './ending.ts';
import type { NoReply, Reply } from './policy.ts';
import { progressOf, type Run, type TurnEnd } from './run.ts';
import { storeTokens } from './tokens/store.ts';

/** Makes one call and does what the reply asks for. */
export async function takeTurn(run: Run): Promise<TurnEnd> {
  const viewed = await view(run);
  if (!viewed.ok) return viewed;
  const { prompt, isSummary } = viewed.value;
  if (isSummary) return takeSummary(run, prompt);
  const asked = await ask(run, prompt);
  if (!asked.ok) return asked;
  if ('ended' in asked.value) return success(asked.value.ended);
  const { reply } = asked.value;
  const parsed = reply.truncated ? fault(CUT) : run.format.parse(reply);
  const kind = parsed.ok || run.rules.noAction !== null ? 'reply' : 'rejected';
  const index = run.transcript.addReply(reply, kind);
  noteCall(run, prompt, reply, index);
  if (!parsed.ok) return refuse(run, reply, parsed.fault);
  run.transcript.malformed = { inARow: 0, cut: 0 };
  return act(run, reply, parsed.value);
}

/** Asks for a summary of what a prompt shows. Nothing is run, and limits are looked at again before the next call. */
async function takeSummary(run: Run, shown: PromptPart[]): Promise<TurnEnd> {
  const { transcript, input } = run;
  const request = transcript.add({ role: 'user', kind: 'summary-request', content: SUMMARY_REQUEST });
  const prompt = [...shown, request];
  const asked = await ask(run, prompt);
  if (!asked.ok) return asked;
  if ('ended' in asked.value) return success(asked.value.ended);
  const { reply } = asked.value;
  noteCall(run, prompt, reply, transcript.addReply(reply, 'summary'));
  input.log(`the history was summarised: ${reply.content.length} characters\n`);
  return success(null);
}

const CUT: Malformed = {
  error: 'The reply was cut at its token limit, so nothing of it was run.',
  actions: [],
};

const WITHOUT_REPLY: Readonly<Record<NoReply['status'], ExitStatus>> = {
  'context-exceeded': 'context_exceeded',
  'content-filtered': 'content_filtered',
};

interface View {
  prompt: PromptPart[];
  /** It is one to be summarised. */
  isSummary: boolean;
}

async function view({ input, transcript, clock }: Run): Promise<Result<View, Infra>> {
  const { settings, counter } = input;
  const waitedBefore = counter?.waited ?? 0;
  try {
    const due = await summaryDue(transcript.messages, settings.context, counter);
    const prompt = due ?? (await viewOf(transcript.messages, settings.context, counter));
    clock.waited += (counter?.waited ?? 0) - waitedBefore;
    return success({ prompt, isSummary: due !== null });
  } catch (error) {
    return fault(asInfra(error));
  }
}

type Asked = { reply: Reply } | { ended: Ending };

async function ask(
  { input, transcript, format, clock }: Run,
  prompt: PromptPart[],
): Promise<Result<Asked, Infra>> {
  const { policy, task, signal } = input;
  transcript.begun++;
  const answered = await policy.reply({
    messages: promptMessages(transcript.messages, prompt),
    tools: format.tools,
    seed: task.seed,
    session: `${task.instance_id}#${task.sample}`,
    signal,
    before: () => transcript.continuedBy(prompt),
  });
  if (answered.ok) {
    clock.waited += answered.value.timing.waited;
    return success({ reply: answered.value });
  }
  if (isFault(answered.fault)) return fault(answered.fault);
  transcript.addUnanswered(prompt);
  const { status, detail } = answered.fault;
  return success({ ended: { status: WITHOUT_REPLY[status], detail, submission: null } });
}

function noteCall(run: Run, prompt: PromptPart[], reply: Reply, index: number): void {
  const ids = reply.tokens === null ? null : storeTokens(reply.tokens, run.ids);
  if (ids !== null) run.ids = ids.whole;
  run.transcript.addCall(prompt, reply, index, ids?.stored ?? null);
}

/** A hint when the model writes its actions in another format than the project sets. */
function otherForm({ format }: Run, { toolCalls }: Reply): string {
  const isAsked = (format.tools ?? []).length > 0;
  if (isAsked || toolCalls.length === 0) return '';
  return ': the server answers with native tool calls, and the project reads actions from text; set agent.actions to tool-calls';
}

/** Tells the model that its reply was not run; too often in a row ends the rollout. */
function refuse(run: Run, reply: Reply, malformed: Malformed): TurnEnd {
  const { transcript, input, texts, rules } = run;
  const error = {
    ...malformed,
    has_tool_calls: reply.toolCalls.length > 0,
    finish_reason: reply.truncated ? 'length' : reply.finishReason,
  };
  const text =
    rules.noAction === null
      ? texts.formatError(error, progressOf(run))
      : texts.observation({ output: rules.noAction, returncode: -1, exception_info: '' }, progressOf(run));
  if (!text.ok) return fault(infra('template', text.fault));
  transcript.add({ role: 'user', kind: 'format-error', content: text.value });
  transcript.addStep([], [], 0);
  input.log(`step ${transcript.steps.length}: no action: ${malformed.error}\n`);
  const { inARow, cut } = transcript.malformed;
  const counts = { inARow: inARow + 1, cut: cut + (reply.truncated ? 1 : 0) };
  transcript.malformed = counts;
  const limit = input.settings.limits.format_errors;
  if (limit === 0 || counts.inARow < limit) return success(null);
  const status = counts.cut === counts.inARow ? 'truncated' : 'repeated_format_error';
  const detail = `${limit} replies in a row without an action${otherForm(run, reply)}`;
  return success({ status, detail, submission: null });
}
