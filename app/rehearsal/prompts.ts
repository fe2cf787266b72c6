/**
 * Prompts and tools, byte for byte: what the model saw in the rollouts beside what it learned from (conversations of `trainer.sft.data`) and
 * what it will be evaluated with. A model that is trained on other words than it is asked with is another model to its user.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { agentKind } from '../../agent/kinds/registry.ts';
import { agentSettings } from '../../agent/resolve.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import type { Finding } from './finding.ts';

/** What began a conversation with the model. */
export interface Shown {
  system: string;
  /** Canonical JSON of the tools' definitions. */
  tools: string;
}

export interface PromptCheck {
  findings: Finding[];
  unchecked: string[];
}

export async function comparePrompts(
  project: ResolvedProject,
  shown: readonly Shown[],
  read: (path: string) => Promise<string>,
): Promise<PromptCheck> {
  const found: PromptCheck = { findings: [], unchecked: [] };
  await withEvaluation(project, read, found);
  await withConversations(project, shown, found);
  return found;
}

async function withEvaluation(
  { config }: ResolvedProject,
  read: (path: string) => Promise<string>,
  found: PromptCheck,
): Promise<void> {
  const { agent, evaluation } = config;
  if (agent === undefined || evaluation?.agent === undefined) return;
  const [own, other] = await Promise.all([
    agentSettings(agent, undefined, read),
    agentSettings(agent, evaluation.agent, read),
  ]);
  if (!own.ok || !other.ok) return;
  const [here, there] = [textsOf(own.value), textsOf(other.value)];
  for (const [name, text] of Object.entries(here))
    if (there[name] !== text)
      found.findings.push({
        key: 'evaluation.agent',
        message: `the evaluation shows the model another text (${name}) than training: ${difference(text, there[name] ?? '')}`,
        remedy: 'use one text in both, or train with that of the evaluation',
      });
}

function textsOf(settings: AgentSettings): Record<string, string> {
  const { tools = [] } = agentKind(settings.type).loop?.(settings).format ?? {};
  return { ...settings.templates, tools: canonicalJson(tools) };
}

async function withConversations(
  { config, folder }: ResolvedProject,
  shown: readonly Shown[],
  found: PromptCheck,
): Promise<void> {
  const source = config.trainer?.sft?.data?.source;
  if (source === undefined) return;
  if (shown.length === 0) {
    found.unchecked.push(
      'whether conversations of trainer.sft.data begin as rollouts do: the functions send no messages',
    );
    return;
  }
  const learned = await firstOf(resolve(folder, source));
  if (learned === null) {
    found.unchecked.push(
      `whether conversations of ${source} begin as rollouts do: it is no file of JSON lines here`,
    );
    return;
  }
  for (const name of ['system', 'tools'] as const)
    if (!shown.some((one) => one[name] === learned[name]))
      found.findings.push({
        key: 'trainer.sft.data',
        message: `its conversations begin with another text (${name}) than rollouts show the model: ${difference(learned[name], shown[0]![name])}`,
        remedy: 'take the texts of the conversations: agent.templates.system, or templates.from',
      });
}

/** How the first conversation of a file begins; null: it cannot be read. */
async function firstOf(path: string): Promise<Shown | null> {
  try {
    const [line = ''] = (await readFile(path, 'utf8')).split('\n');
    const row = JSON.parse(line) as { messages: unknown; tools?: unknown };
    const plain = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);
    const messages = plain(row.messages) as { role: string; content: string }[];
    return shownOf(messages, (plain(row.tools ?? []) ?? []) as { function?: unknown }[]);
  } catch {
    // Rows of others may have any form.
    return null;
  }
}

/** Of a conversation’s messages and tools, as requests and rows have them. */
export function shownOf(
  messages: readonly { role: string; content?: unknown }[],
  tools: readonly { function?: unknown }[],
): Shown {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => String(content ?? ''));
  const plain = tools.map((one) => (one.function ?? one) as Json);
  return { system: system.join('\n'), tools: canonicalJson(plain) };
}

/** Where two texts part. */
function difference(first: string, second: string): string {
  let at = 0;
  while (at < first.length && first[at] === second[at]) at += 1;
  const part = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 10), at + 30));
  return `from character ${at} on, ${part(first)} and ${part(second)}`;
}
