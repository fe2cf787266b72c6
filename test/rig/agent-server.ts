/** The real agent server of a project, in a process of its own, on a port that is free, and requests to it. */
import type { ChildProcess } from 'node:child_process';
import { findToken } from '../../basics/server-token.ts';
import type { Project } from './project.ts';

export interface AgentServer {
  process: ChildProcess;
  url: string;
  /** Null: it wants none. */
  token: string | null;
}

export async function startAgentServer(project: Project, ...options: string[]): Promise<AgentServer> {
  const child = project.start(['serve', 'agent', 'p.yaml', '--listen', '127.0.0.1:0', ...options]);
  return { process: child, ...(await readStart(child, 'agent')) };
}

/** Where a server listens and the token that it made, as it says when it starts. */
export async function readStart(
  child: ChildProcess,
  what: string,
): Promise<{ url: string; token: string | null }> {
  const said = await new Promise<string>((resolve, reject) => {
    let text = '';
    const hear = (more: string) => {
      text += more;
      if (new RegExp(`${what} server at \\S+\\n`).test(text)) resolve(text);
    };
    child.stdout!.setEncoding('utf8').on('data', hear);
    child.stderr!.setEncoding('utf8').on('data', hear);
    child.once('close', () => reject(new Error(text)));
  });
  const [, url = ''] = /server at (\S+)\n/.exec(said) ?? [];
  return { url, token: findToken(url, process.env) };
}

export async function askAgent(
  { url, token }: Pick<AgentServer, 'url' | 'token'>,
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}${path}`, {
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  return (await response.json()) as Record<string, unknown>;
}

export function endAgentServer({ process }: AgentServer, signal: NodeJS.Signals): Promise<unknown> {
  const closed = new Promise((resolve) => process.once('close', resolve));
  process.kill(signal);
  return closed;
}
