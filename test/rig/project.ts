/** A project in a folder of its own and the real command on it, as a user would run it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from './folder.ts';

export interface CommandEnd {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface BuildResult {
  executed: number;
  cached: number;
  outcomes: Record<string, number>;
  isolation: string;
  stages: { stage: string; items: number; executed: number; outcomes: Record<string, number> }[];
}

export class Project {
  readonly folder: string;
  readonly #env: Record<string, string>;

  /** `root`: where the command's package is. `before`: words in front of the command, such as those of `nsenter`. */
  constructor(
    folder: string = temporaryFolder(),
    env: Record<string, string> = {},
    private readonly root: string = packageRoot(),
    private readonly before: readonly string[] = [],
  ) {
    this.folder = folder;
    this.#env = env;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Starts the command in a process group of its own. */
  start(args: string[]): ChildProcess {
    const command = [...this.before, process.execPath, join(this.root, 'bin/swemake.js'), ...args];
    return spawn(command[0]!, command.slice(1), {
      cwd: this.folder,
      env: {
        ...process.env,
        // What is taken for fresh is looked at all the same.
        SWEMAKE_PARANOID: '1',
        XDG_CACHE_HOME: join(this.folder, 'home-cache'),
        ...this.#env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  }

  run(...args: string[]): Promise<CommandEnd> {
    const child = this.start(args);
    const end: CommandEnd = { code: null, stdout: '', stderr: '' };
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      end.stdout += text;
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      end.stderr += text;
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => {
        // Node's own words about our code are no words for users.
        if (/^\(node:\d+\) /m.test(end.stderr)) reject(new Error(end.stderr));
        else resolve({ ...end, code });
      });
    });
  }

  /** `build --json`; throws when it prints anything else. */
  async build(file: string, ...args: string[]): Promise<BuildResult & { code: number | null }> {
    const end = await this.run('build', file, '--json', ...args);
    const line = end.stdout.trim().split('\n').at(-1) ?? '';
    if (!line.startsWith('{')) throw new Error(`build ended with ${end.code}:\n${end.stdout}\n${end.stderr}`);
    return { ...(JSON.parse(line) as BuildResult), code: end.code };
  }

  /** Events of all runs so far, in order. */
  events(cache = '.swemake'): Record<string, unknown>[] {
    const runs = join(this.folder, cache, 'runs');
    return readdirSync(runs)
      .sort()
      .flatMap((run) => {
        const path = join(runs, run, 'events.jsonl');
        try {
          return readFileSync(path, 'utf8')
            .split('\n')
            .flatMap((line) => {
              try {
                return [JSON.parse(line) as Record<string, unknown>];
              } catch {
                return [];
              }
            });
        } catch {
          return [];
        }
      });
  }
}
