/**
 * The command line of a model's server: an engine's own words for what the project says of it, or the project's command.
 * Pure, so that it can be read and compared before a GPU is paid for.
 */
import { shellWord } from '../../basics/shell.ts';
import type { ServeConfig } from '../../schemas/generated/project.ts';

/** What is served. */
export type Weights =
  /** null: the newest. */
  { kind: 'hub'; id: string; revision: string | null } | { kind: 'path'; path: string };

export interface Served {
  serve: ServeConfig;
  /** What the model is called in requests. */
  name: string;
  /** null: only the command knows. */
  weights: Weights | null;
  /** Line that is run before it in the same shell; null: none. */
  activate: string | null;
  /** Machine that it is started on by ssh; null: this one. */
  host: string | null;
}

export type Engine = NonNullable<ServeConfig['engine']>;

/** The path that says that it can be used. */
export function readyPath({ engine, ready }: ServeConfig): string {
  return ready ?? (engine === undefined ? '/v1/models' : '/health');
}

/** Bash that runs the server in the foreground; `{port}` stands for its port. */
export function serverCommand({ serve, name, weights, activate, host }: Served): string {
  const line =
    serve.engine === undefined
      ? commandLine(serve.command ?? '', weights)
      : `exec ${engineWords(serve.engine, { serve, name, weights, host }).join(' ')}`;
  const script = [...(activate === null ? [] : [activate]), line].join('\n');
  return host === null ? script : throughSsh(host, script, serve.env);
}

function commandLine(command: string, weights: Weights | null): string {
  return weights?.kind === 'path' ? command.replaceAll('{model}', weights.path) : command;
}

/** What the project adds comes last, where it wins. */
function engineWords(
  engine: Engine,
  { serve, name, weights, host }: Pick<Served, 'serve' | 'name' | 'weights' | 'host'>,
): string[] {
  const address = ['--host', host === null ? '127.0.0.1' : '0.0.0.0', '--port', '{port}'];
  const named = WORDS[engine]({ name: shellWord(name), weights, gpus: serve.gpus });
  return [...named, ...address, ...serve.args.map(shellWord)];
}

interface Asked {
  name: string;
  weights: Weights | null;
  gpus: number;
}

const WORDS: Record<Engine, (asked: Asked) => string[]> = {
  vllm: ({ name, weights, gpus }) => [
    ...['vllm', 'serve', reference(weights), ...revisionWords(weights)],
    ...(gpus > 0 ? ['--tensor-parallel-size', `${gpus}`] : []),
    ...['--served-model-name', name],
  ],
  sglang: ({ name, weights, gpus }) => [
    ...[
      'python',
      '-m',
      'sglang.launch_server',
      '--model-path',
      reference(weights),
      ...revisionWords(weights),
    ],
    ...['--served-model-name', name],
    ...(gpus > 0 ? ['--tp', `${gpus}`] : []),
  ],
  'llama.cpp': ({ name, weights, gpus }) => [
    ...['llama-server', weights?.kind === 'hub' ? '--hf-repo' : '--model', reference(weights)],
    ...['--alias', name],
    ...(gpus > 0 ? ['--n-gpu-layers', '999'] : []),
  ],
};

function reference(weights: Weights | null): string {
  if (weights === null) return "''";
  return shellWord(weights.kind === 'hub' ? weights.id : weights.path);
}

function revisionWords(weights: Weights | null): string[] {
  return weights?.kind === 'hub' && weights.revision !== null
    ? ['--revision', shellWord(weights.revision)]
    : [];
}

/** With a terminal of its own, so that what runs there ends with the connection. */
function throughSsh(host: string, script: string, env: Readonly<Record<string, string>>): string {
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${shellWord(value)}`);
  const remote = `bash -lc ${shellWord([...exports, script].join('\n'))}`;
  return `exec ssh -tt -o BatchMode=yes -o ServerAliveInterval=15 ${host} ${shellWord(remote)}`;
}
