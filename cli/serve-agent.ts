/** `serve agent`: whole rollouts of a project over HTTP, for trainers, until a signal ends it. */
import type { CommandIo } from '../app/io.ts';
import { openProject } from '../app/open-project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { countOf, secondsOf, serveSettings } from '../app/servers/settings.ts';
import { shown } from '../app/shown.ts';
import { answerUsage, type CommandSpec, option, parseCommand } from './arguments.ts';
import { ACCESS_OPTIONS, serveUntilStopped } from './serving.ts';

export const SERVE_AGENT = {
  name: 'serve agent',
  summary:
    'Serve rollouts of a project over HTTP: a trainer posts an instance and the address of its model to /run, and gets the trajectory, token ids with masks, and the reward that grading gives; null where there is no verdict. An environment that is missing is built. The same id is the same rollout, also after a restart.',
  positionals: [{ name: 'FILE', description: 'the project', required: true }],
  options: {
    listen: option(
      'ADDRESS',
      'address and port, or unix:PATH for a socket of this user alone (default: 127.0.0.1, port 11000)',
    ),
    ...ACCESS_OPTIONS,
    folder: option(
      'FOLDER',
      'where finished rollouts are kept (default: out/NAME/episodes beside the project)',
    ),
    'max-concurrent': option('N', 'rollouts at once (default: as many as the machine holds workspaces)'),
    'max-waiting': option('N', 'requests that wait before further ones are refused with 503 (default: 4096)'),
    'session-timeout': option('TIME', 'a session without a step ends after this time (default: 30m)'),
    ...PROJECT_OPTIONS,
  },
  examples: [
    ['swemake serve agent project.yaml', 'for a trainer on this machine'],
    [
      'swemake serve agent project.yaml --listen 0.0.0.0:11000 --token-file token --max-concurrent 512',
      'for a cluster, which has to know the token',
    ],
  ],
} as const satisfies CommandSpec;

export async function serveAgentCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(SERVE_AGENT, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values } = parsed;
  const usage = (fault: { message: string; remedy: string }) => answerUsage({ kind: 'usage', ...fault }, io);
  const common = serveSettings('agent', 11_000, values, io);
  if (!common.ok) return usage(common.fault);
  const concurrent = countOf('--max-concurrent', values['max-concurrent'], 0);
  if (!concurrent.ok) return usage(concurrent.fault);
  const waiting = countOf('--max-waiting', values['max-waiting'], 4096);
  if (!waiting.ok) return usage(waiting.fault);
  const idleLimit = secondsOf('--session-timeout', values['session-timeout'], 1800);
  if (!idleLimit.ok) return usage(idleLimit.fault);
  const project = await openProject(parsed.positionals[0]!, values, io);
  if (project === null) return 2;
  const { openAgent } = await import('../app/servers/agent.ts');
  const settings = {
    ...common.value,
    folder: values.folder === undefined ? null : common.value.folder,
    concurrent: concurrent.value === 0 ? null : concurrent.value,
    waiting: waiting.value,
    idleLimit: idleLimit.value,
  };
  if (settings.entry === 'none' && project.secrets.size > 0) {
    const names = [...project.secrets.values()].join(', ');
    io.stderr.write(shown(`with --no-token no secret of the project is used: ${names}\n`));
  }
  return serveUntilStopped('agent', await openAgent(project, settings, io), settings, io);
}
