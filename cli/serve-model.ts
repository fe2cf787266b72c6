/** `serve model`: a project's model, asked in any dialect by rollouts that run elsewhere, until a signal ends it. */
import type { CommandIo } from '../app/io.ts';
import { openProject } from '../app/open-project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { countOf, secondsOf, serveSettings, sizeOf } from '../app/servers/settings.ts';
import { shown } from '../app/shown.ts';
import { answerUsage, type CommandSpec, option, parseCommand } from './arguments.ts';
import { ACCESS_OPTIONS, serveUntilStopped } from './serving.ts';

export const SERVE_MODEL = {
  name: 'serve model',
  summary:
    'Serve the model of a project to agents that run elsewhere, as OpenAI chat completions and responses, Anthropic messages and Google generateContent. Each session, named by the header X-Session-Id or by a key of its own, becomes a trajectory and training samples with the ids that the endpoint wrote. A reply is kept before it is answered.',
  positionals: [{ name: 'FILE', description: 'the project', required: true }],
  options: {
    listen: option(
      'ADDRESS',
      'address and port, or unix:PATH for a socket of this user alone (default: 127.0.0.1, port 11070)',
    ),
    ...ACCESS_OPTIONS,
    folder: option(
      'FOLDER',
      'where sessions and samples are kept (default: out/NAME/model-door beside the project)',
    ),
    samples: option(
      'step|turns',
      'step: a sample for each reply; replies whose requests say X-Turn-Type: main go out as soon as their next state is known. turns: as few samples as the prompts allow, at the end of a session (default: turns)',
    ),
    train: option(
      'main|agents|all',
      'whose replies are in samples: the agent’s, also its sub-agents’, or all (default: main)',
    ),
    'max-sessions': option('N', 'sessions that may be open at once (default: 4096)'),
    'keep-samples': option(
      'SIZE',
      'room for samples; when it is used up, the oldest ones are removed (default: 20GiB)',
    ),
    'keep-sessions': option(
      'TIME',
      'ended sessions are removed after this time; their samples stay (default: 30d)',
    ),
    'session-timeout': option('TIME', 'a session without a request ends after this time (default: 30m)'),
    drain: option('TIME', 'how long it waits for open replies after a signal to end (default: 60s)'),
    ...PROJECT_OPTIONS,
  },
  examples: [
    ['swemake serve model project.yaml', 'for agents on this machine'],
    [
      'swemake serve model project.yaml --listen 0.0.0.0:11070 --token-file token --samples step',
      'for living agents elsewhere, which have to know the token',
    ],
  ],
} as const satisfies CommandSpec;

const UNITS = ['step', 'turns'] as const;
const TRAINED = ['main', 'agents', 'all'] as const;

export async function serveModelCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(SERVE_MODEL, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values } = parsed;
  const usage = (fault: { message: string; remedy: string }) => answerUsage({ kind: 'usage', ...fault }, io);
  const common = serveSettings('model', 11_070, values, io);
  if (!common.ok) return usage(common.fault);
  const unit = UNITS.find((one) => one === (values.samples ?? 'turns'));
  if (unit === undefined) return usage(notOneOf('--samples', values.samples!, UNITS));
  const train = TRAINED.find((one) => one === (values.train ?? 'main'));
  if (train === undefined) return usage(notOneOf('--train', values.train!, TRAINED));
  const most = countOf('--max-sessions', values['max-sessions'], 4096);
  if (!most.ok) return usage(most.fault);
  const idleLimit = secondsOf('--session-timeout', values['session-timeout'], 1800);
  if (!idleLimit.ok) return usage(idleLimit.fault);
  const room = sizeOf('--keep-samples', values['keep-samples'], 20 * 2 ** 30);
  if (!room.ok) return usage(room.fault);
  const keep = secondsOf('--keep-sessions', values['keep-sessions'], 30 * 86_400);
  if (!keep.ok) return usage(keep.fault);
  const drain = secondsOf('--drain', values.drain, 60);
  if (!drain.ok) return usage(drain.fault);
  const project = await openProject(parsed.positionals[0]!, values, io);
  if (project === null) return 2;
  const { openModelDoor } = await import('../app/servers/model.ts');
  const settings = {
    ...common.value,
    folder: values.folder === undefined ? null : common.value.folder,
    ...{ unit, train, most: most.value, idleLimit: idleLimit.value, drain: drain.value },
    ...{ sampleRoom: room.value, keepSessions: keep.value },
  };
  if (settings.entry === 'none' && project.secrets.size > 0) {
    const names = [...project.secrets.values()].join(', ');
    io.stderr.write(shown(`with --no-token no secret of the project is used: ${names}\n`));
  }
  return serveUntilStopped('model', await openModelDoor(project, settings, io), settings, io);
}

function notOneOf(option: string, given: string, names: readonly string[]) {
  return { message: `${option} is not "${given}"`, remedy: `one of ${names.join(', ')}` };
}
