/** `ui`: a page in the browser over the cache and the journals of a project, until a signal ends it. */
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { servePage } from '../ui/server/app.ts';
import { LiveProject } from '../ui/server/live-project.ts';
import { answerUsage, type CommandSpec, option, parseCommand } from './arguments.ts';

const UI = {
  name: 'ui',
  summary:
    'Show a project in the browser: how far it is, every instance and rollout, failures by cause, time and cost, live while a build runs. Serves this machine alone, under an address with a token, and changes nothing.',
  positionals: [
    { name: 'PROJECT', description: 'the project (default: the one last used from this folder)' },
  ],
  options: {
    ...PROJECT_OPTIONS,
    port: option('PORT', 'port on loopback (default: any that is free)'),
    json: { type: 'boolean', description: 'print one JSON object: the address' },
  },
  examples: [
    ['swemake ui project.yaml', 'prints the address to open'],
    ['ssh -L 8080:127.0.0.1:8080 host swemake ui --port 8080 project.yaml', 'of another machine'],
  ],
} as const satisfies CommandSpec;

/** Milliseconds without a word. A project with 100,000 rollouts to make takes minutes to be read. */
const QUIET_FOR = 3000;

export async function uiCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(UI, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values, positionals } = parsed;
  const port = portOf(values.port ?? '0');
  if (port === null) {
    const message = `--port is not a port: "${values.port}"`;
    return answerUsage({ kind: 'usage', message, remedy: 'a number from 0 to 65535' }, io);
  }
  const project = await openLatestProject(positionals[0], values, io);
  if (project === null) return 2;
  const printed: string[] = [];
  const quiet = { ...io, stderr: { write: (text: string) => printed.push(text) } };
  const loadAgain = async () => {
    printed.length = 0;
    return (await openLatestProject(project.file, values, quiet)) ?? printed.join('');
  };
  const ended = new AbortController();
  const reading = setTimeout(
    () => io.stderr.write(shown('reading what is made; then the address follows\n')),
    QUIET_FOR,
  );
  const live = await LiveProject.open(project, loadAgain, io, ended.signal).finally(() =>
    clearTimeout(reading),
  );
  try {
    const page = await servePage(live, port);
    io.stdout.write(
      values.json
        ? jsonLine({ address: page.address })
        : shown(`${project.config.name} at ${page.address}\nCtrl-C ends it\n`),
    );
    await new Promise<void>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    });
    await page.close();
    return 0;
  } finally {
    ended.abort();
    await live.close();
  }
}

function portOf(text: string): number | null {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null;
}
