/** What lies in the workspace before the program starts: its configuration files, the task, and the address of its model. */
import { fault, type Result, success } from '../../basics/result.ts';
import { shellWord } from '../../basics/shell.ts';
import type { Workspace } from '../../executors/deployment.ts';
import { type Infra, infra, isFault } from '../../schemas/outcome.ts';
import type { OutsideSettings } from '../kinds/outside/layered.ts';
import type { DoorIn } from '../rollout.ts';
import { compileTemplate } from '../templates.ts';

/** Outside of the repository, so that nothing of it gets into a patch. */
const HOME = '/tmp/agent-home';
const TASK_FILE = '/tmp/agent-task.md';
/** Behind the task's own programs, so that commands of the agent find those first. */
const PROGRAMS = [
  '/opt/agent/bin',
  '/opt/agent/node_modules/.bin',
  '/opt/agent/venv/bin',
  '/opt/agent/node/bin',
];

export interface Started {
  command: string;
  env: Record<string, string>;
}

export interface Preparing {
  /** What it is asked to do. */
  task: string;
  workspace: Pick<Workspace, 'write'>;
  /** Variables of the project. */
  env: Readonly<Record<string, string>>;
  /** The model's name. */
  model: string;
  own: Pick<OutsideSettings, 'program' | 'args' | 'version' | 'speaks' | 'tools'>;
  door: Pick<DoorIn, 'url' | 'context' | 'maxTokens'>;
  /** The key of the rollout's session. */
  key: string;
}

/** Writes the files; the command that starts the program, with its variables. */
export async function prepare({
  task,
  workspace,
  env,
  model,
  own,
  door,
  key,
}: Preparing): Promise<Result<Started, Infra>> {
  const { program, args, version, tools = [] } = own;
  const values = {
    ...{ url: door.url, key, version: version ?? '', home: HOME, task_file: TASK_FILE },
    model,
    // Empty: not known.
    context: door.context ?? '',
    max_tokens: door.maxTokens,
    // Empty: all.
    tools,
  };
  const files = await rendered(program.files ?? {}, values, 'program.files');
  if (!files.ok) return files;
  const own_env = await rendered(program.env ?? {}, values, 'program.env');
  if (!own_env.ok) return own_env;
  const all = Object.entries(files.value).map(([path, text]) => [`${HOME}/${path}`, text] as const);
  for (const [path, text] of [...all, [TASK_FILE, task] as const]) {
    const written = await workspace.write(path, text);
    if (!written.ok)
      return fault(isFault(written.fault) ? written.fault : infra('workspace-lost', written.fault.detail));
  }
  const words = args.map(shellWord).join(' ');
  const connected = own.speaks === undefined ? '' : connectingTo(door.url);
  return success({
    command: `export PATH="$PATH:${PROGRAMS.join(':')}"\n${connected}set -- ${words}\n${program.run}`,
    env: {
      ...env,
      HOME,
      MODEL_URL: door.url,
      MODEL_KEY: key,
      MODEL_NAME: model,
      MODEL_CONTEXT: `${door.context ?? ''}`,
      MODEL_MAX_TOKENS: `${door.maxTokens}`,
      AGENT_TOOLS: tools.join(','),
      TASK_FILE,
      ...set(own_env.value),
    },
  });
}

/** Makes a connection through the door the program's stdin and stdout. bash reads a socket byte by byte, so it takes no more than the head. */
function connectingTo(url: string): string {
  const { hostname, port } = new URL(url);
  return `exec 3<>/dev/tcp/${hostname}/${port} || exit 1
printf 'CONNECT acp:1 HTTP/1.1\\r\\nHost: acp\\r\\nAuthorization: Bearer %s\\r\\n\\r\\n' "$MODEL_KEY" >&3
while IFS= read -r line <&3 && [ "$line" != $'\\r' ]; do :; done
exec 0<&3 1>&3 3>&-
`;
}

/** Without variables whose value is not known. */
function set(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
}

async function rendered(
  sources: Readonly<Record<string, string>>,
  values: Record<string, unknown>,
  key: string,
): Promise<Result<Record<string, string>, Infra>> {
  const texts: Record<string, string> = {};
  for (const [name, source] of Object.entries(sources)) {
    const template = await compileTemplate(`${key}.${name}`, source);
    const text = template.ok ? template.value.render(values) : template;
    if (!text.ok) return fault(infra('template', text.fault));
    texts[name] = text.value;
  }
  return success(texts);
}
