/**
 * Checks of the agent's texts, which depend on more than the project: the file of `templates.from`, and the templates
 * in it. Keys of that file without an effect are reported at their place in it.
 */
import { resolve } from 'node:path';
import { agentKind, asksModel } from '../agent/kinds/registry.ts';
import { readAgentFile } from '../agent/read-agent-file.ts';
import { agentSettings } from '../agent/resolve.ts';
import type { AgentConfig, AgentOverrides, Project } from '../schemas/generated/project.ts';
import { isWritten } from './check-agent.ts';
import type { InputFile } from './compose.ts';
import { DiagnosticSink } from './diagnostic.ts';
import { readSource } from './files.ts';
import { parseTree } from './parse.ts';
import { lineAt, type SourceText, type Span, startOf } from './source-text.ts';
import { type Node, type Path, spanOf } from './tree.ts';

export interface PromptContext {
  /** The project's tree, for places. */
  root: Node;
  /** Absolute folder of the project file. */
  folder: string;
  cwd: string;
  sink: DiagnosticSink;
}

/** Checks the agents of a project without errors; returns the files that were read. */
export async function checkPrompts(
  { agent, evaluation }: Project,
  context: PromptContext,
): Promise<InputFile[]> {
  if (agent === undefined) return [];
  const files = await checkPromptsOf(agent, undefined, ['agent'], context);
  if (evaluation?.agent === undefined) return files;
  return [...files, ...(await checkPromptsOf(agent, evaluation.agent, ['evaluation', 'agent'], context))];
}

async function checkPromptsOf(
  agent: AgentConfig,
  overrides: AgentOverrides | undefined,
  path: Path,
  { root, folder, cwd, sink }: PromptContext,
): Promise<InputFile[]> {
  if (!asksModel(overrides?.type ?? agent.type)) return [];
  const from = overrides?.templates?.from ?? agent.templates.from;
  const file = from === undefined ? null : await readSource(resolve(folder, from), cwd);
  const placeOf = (...key: Path): Span | null => {
    const at = [path, ['agent']].find((above) => isWritten(root, [...above, ...key]));
    return at === undefined ? null : spanOf(root, [...at, ...key], 'value');
  };
  const named = placeOf('templates', 'from') ?? placeOf()!;
  if (file !== null && file.kind !== 'text') {
    // A missing file has its own warning: it may be there where the project is built.
    if (file.kind === 'garbled') sink.add('E125', file.fault.span, file.fault.message, file.fault.remedy);
    else if (!file.isMissing)
      sink.add('E133', named, `templates.from: "${from}" ${file.message}`, 'name another file');
    return [];
  }
  const text = async () => file!.source.text;
  // The built-in texts are correct. Others are rendered once, so that a mistake in them is found before anything
  // runs.
  const templates = { ...agent.templates, ...overrides?.templates };
  const tryTexts = Object.values(templates).some((one) => one !== undefined);
  const settings = await agentSettings(agent, overrides, text, { tryTexts });
  if (!settings.ok) {
    const name = /^template (\w+)/.exec(settings.fault)?.[1];
    const own = name === undefined ? null : placeOf('templates', name);
    const remedy =
      own === null && from !== undefined ? 'correct the file, or name another' : 'correct the text';
    sink.add('E133', own ?? named, settings.fault, remedy);
    return [];
  }
  const tree = file === null ? null : treeOf(file.source);
  if (file !== null) await reportUnused(file.source, tree, sink);
  const texts = agentKind(settings.value.type).misleadingTexts?.(settings.value) ?? [];
  if (texts.length > 0) {
    const inFile = tree === null ? named : spanOf(tree, ['model', 'action_regex'], 'value');
    reportMisleading(texts, placeOf('action_regex') ?? inFile, sink);
  }
  return file === null ? [] : [{ path: resolve(folder, from!), digest: file.digest }];
}

/** For places only: such files are read as their own tool reads them, so that what is wrong here is no error. */
function treeOf(source: SourceText): Node | null {
  return parseTree(source, new DiagnosticSink());
}

/** One message for each file: a file that was taken over unchanged would fill the screen. */
async function reportUnused(source: SourceText, tree: Node | null, sink: DiagnosticSink): Promise<void> {
  const read = await readAgentFile(source.text);
  if (!read.ok || read.value.unused.length === 0) return;
  const places = read.value.unused.map((path) => ({
    name: path.join('.'),
    span: tree === null ? null : spanOf(tree, path, 'key'),
  }));
  const names = places.map(({ name, span }) => (span === null ? name : `${name} (line ${lineAt(span)})`));
  const [noun, verb] = names.length === 1 ? ['this key means', 'is'] : ['these keys mean', 'are'];
  sink.add(
    'W210',
    places[0]!.span ?? startOf(source),
    `${noun} nothing here and ${verb} not used: ${names.join(', ')}`,
    'the model is agent.model, the place agent.deployment; leave them if another tool reads the file',
  );
}

function reportMisleading(texts: readonly string[], span: Span, sink: DiagnosticSink): void {
  const names = texts.map((name) => `templates.${name}`);
  const list = names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const verb = names.length === 1 ? 'shows' : 'show';
  sink.add(
    'W211',
    span,
    `${list} ${verb} the model a way to write commands that action_regex does not read`,
    `write ${names.length === 1 ? 'it' : 'them'} to fit the expression`,
  );
}
