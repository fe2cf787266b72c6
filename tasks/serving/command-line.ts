/**
 * The command line of a model's server: an engine's own words for what the project says of it, or the project's command.
 * Pure, so that it can be read and compared before a GPU is paid for.
 */
import { shellWord } from '../../basics/shell.ts';
import type { ServeConfig } from '../../schemas/generated/project.ts';
import type { Weights } from './engines/kind.ts';
import { findEngine } from './engines/registry.ts';

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

/** The path that says that it can be used. */
export function readyPath({ engine, ready }: ServeConfig): string {
  return ready ?? findEngine(engine)?.ready ?? '/v1/models';
}

/** Bash that runs the server in the foreground; `{port}` stands for its port. */
export function serverCommand(served: Served): string {
  const { serve, activate, host } = served;
  const script = [...(activate === null ? [] : [activate]), programLine(served)].join('\n');
  return host === null ? script : throughSsh(host, script, serve.env);
}

/** What the project adds to an engine's own words comes last, where it wins. */
function programLine({ serve, name, weights, host }: Served): string {
  const engine = findEngine(serve.engine);
  if (engine === null) {
    const { command = '' } = serve;
    return weights?.kind === 'path' ? command.replaceAll('{model}', weights.path) : command;
  }
  const { gpus, args } = serve;
  const listens = host === null ? '127.0.0.1' : '0.0.0.0';
  const words = engine.words({ name: shellWord(name), weights, gpus, host: listens });
  return `exec ${[...words, ...args.map(shellWord)].join(' ')}`;
}

/** With a terminal of its own, so that what runs there ends with the connection. */
function throughSsh(host: string, script: string, env: Readonly<Record<string, string>>): string {
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${shellWord(value)}`);
  const remote = `bash -lc ${shellWord([...exports, script].join('\n'))}`;
  return `exec ssh -tt -o BatchMode=yes -o ServerAliveInterval=15 ${host} ${shellWord(remote)}`;
}
