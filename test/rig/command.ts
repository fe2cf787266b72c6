/** The command line called in this process, on a project folder: what it printed and how it ended. */
import { main } from '../../cli/main.ts';
import type { CommandEnd, Project } from './project.ts';

/** What is taken for fresh is looked at all the same. */
process.env.SWEMAKE_PARANOID ??= '1';

export function command(project: Project, ...args: string[]): Promise<CommandEnd> {
  return commandAt(project, {}, ...args);
}

/** The same at another time, or with more variables. */
export async function commandAt(
  project: Project,
  { now, env: more = {} }: { now?: () => number; env?: NodeJS.ProcessEnv },
  ...args: string[]
): Promise<CommandEnd> {
  const end: CommandEnd = { code: null, stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      end[name] += text;
    },
  });
  const env = { ...process.env, ...more, XDG_CACHE_HOME: project.path('home-cache') };
  const outputs = { stdout: sink('stdout'), stderr: sink('stderr') };
  const io = { ...outputs, env, cwd: project.folder, isTTY: false, ...(now === undefined ? {} : { now }) };
  end.code = await main(args, io);
  return end;
}

/** The one JSON object that `args` (with --json) print. */
export async function commandJson<T>(project: Project, ...args: string[]): Promise<T> {
  const end = await command(project, ...args, '--json');
  if (!end.stdout.startsWith('{'))
    throw new Error(`it ended with ${end.code}:\n${end.stdout}\n${end.stderr}`);
  return JSON.parse(end.stdout) as T;
}
