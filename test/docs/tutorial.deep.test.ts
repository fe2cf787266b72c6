/**
 * The tutorial as its reader has it: each command of docs/tutorial.md is run in order, each file that it shows is written, and
 * what it prints is what the page says, but for times and sizes.
 */
import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { hasPackageIndex } from '../rig/quickstart.ts';

const WAIT = 1_800_000;
/** Begins what one command prints. */
const MARK = '\u001e';

interface Step {
  command: string;
  /** Lines of the page under the command. */
  expected: string[];
  /** Its counts differ from run to run. */
  hasChance?: boolean;
}

const folder = temporaryFolder();
const page = readFileSync(join(packageRoot(), 'docs/tutorial.md'), 'utf8');
const on = test.skipIf(!hasPackageIndex());
const groups = new Set<number>();
let port: number;

beforeAll(async () => {
  port = await freePort();
  cpSync(join(packageRoot(), 'projects'), join(folder, 'projects'), {
    recursive: true,
    filter: (path) => !/\/(\.swemake|out)$/.test(path),
  });
  mkdirSync(join(folder, 'bin'));
  const program = join(folder, 'bin/swemake');
  writeFileSync(
    program,
    `#!/bin/sh\nexec ${process.execPath} ${join(packageRoot(), 'bin/swemake.js')} "$@"\n`,
  );
  chmodSync(program, 0o755);
});

afterAll(() => {
  for (const group of groups)
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
});

on('the quickstart: sections 1 to 7', () => follow(1, 7), WAIT);
on('rows, a model and a benchmark: sections 8 to 14', () => follow(8, 14), WAIT);

/** Runs sections of the page in one shell, and compares what each command printed. */
async function follow(from: number, to: number): Promise<void> {
  const steps = sections(from, to).flatMap(stepsOf);
  expect(steps.length).toBeGreaterThan(5);
  const script = steps.map(
    ({ command }, at) => `status=$?; printf '\\n${MARK}${at}\\n'; (exit $status)\n${command}`,
  );
  const printed = await shell(script.join('\n'));
  const outputs = new Map(
    printed
      .split(MARK)
      .slice(1)
      .map((part) => [Number.parseInt(part, 10), part.slice(part.indexOf('\n') + 1)]),
  );
  for (const [at, { command, expected, hasChance }] of steps.entries()) {
    const output = outputs.get(at) ?? '';
    const form = hasChance === true ? withoutCounts : plain;
    expect.soft(missing(expected, output, form), `${command}\nprinted\n${output}`).toEqual([]);
  }
}

/** The sections of those numbers. */
function sections(from: number, to: number): string[] {
  return page.split(/^## /m).filter((section) => {
    const number = Number.parseInt(section, 10);
    return number >= from && number <= to;
  });
}

/** What is done with the blocks of a section: commands are run and files are written. */
function stepsOf(section: string): Step[] {
  const blocks = [...section.matchAll(/(`(\w+\.py)`[^`]*)?^```(\w+)\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, , name, language, text = '']) => {
    const here = text.replaceAll('8000', String(port));
    if (language === 'console') return commandsOf(here);
    if (language === 'python') return [write(nameOfProgram(section), here)];
    if (language === 'yaml' && here.startsWith('version:'))
      return [write(`${/^name: (.*)$/m.exec(here)![1]}.yaml`, here)];
    if (language === 'yaml') return [edit(here)];
    throw new Error(`a block of ${language} ${name}`);
  });
}

function nameOfProgram(section: string): string {
  return /`(\w+\.py)`/.exec(section)![1]!;
}

function write(name: string, text: string): Step {
  return { command: `cat > ${name} <<'END_OF_FILE'\n${text}END_OF_FILE`, expected: [] };
}

/** A changed rule takes the place of the rule with its first line; any other line is added to the rule that was changed last. */
function edit(text: string): Step {
  writeFileSync(join(folder, `edit-${edits}.yaml`), text);
  const program = `
import re
part = open("${folder}/edit-${edits++}.yaml").read()
path = "projects/quickstart.yaml"
lines = open(path).read().splitlines(keepends=True)
first = part.splitlines()[0].strip()
rule = '- match: { repo: "keleshev/schema" }'
at = next(number for number, line in enumerate(lines) if line.strip() == rule)
end = next(number for number in range(at + 1, len(lines)) if lines[number].lstrip().startswith("- match"))
lines[at:end] = [part] if first == rule else [*lines[at:end], part]
open(path, "w").write("".join(lines))
`;
  return { command: `python3 - <<'END_OF_EDIT'\n${program}END_OF_EDIT`, expected: [] };
}
let edits = 0;

/** A command goes on over the lines of its here-document; what follows is what it prints. */
function commandsOf(block: string): Step[] {
  const steps: Step[] = [];
  let ends: string | null = null;
  for (const line of block.trimEnd().split('\n')) {
    const last = steps.at(-1);
    if (ends !== null) {
      last!.command += `\n${line}`;
      if (line === ends) ends = null;
    } else if (line.startsWith('$ ')) {
      steps.push({ command: line.slice(2), expected: [] });
      ends = /<<'(\w+)'/.exec(line)?.[1] ?? null;
    } else last!.expected.push(line);
  }
  return steps.map((step) => (step.expected[0]?.startsWith('^C') ? interrupted(step) : step));
}

/** Ctrl-C is pressed while items run. How many have answers by then is chance. */
function interrupted({ command, expected }: Step): Step {
  return {
    command: `${command} > interrupted.log 2>&1 & pid=$!
until swemake status projects/quickstart.yaml | grep -q ' · .* running' || ! kill -0 $pid; do sleep 0.3; done
kill -INT $pid; wait $pid; status=$?; cat interrupted.log; (exit $status)`,
    expected: [expected[0]!.slice(2), ...expected.slice(1)],
    hasChance: true,
  };
}

/** Lines of the page that were not printed in this order. Three dots stand for any lines, or for the end of a line. */
function missing(expected: readonly string[], output: string, form: (line: string) => string): string[] {
  const lines = output.split('\n').map(form);
  let at = 0;
  return expected
    .filter((line) => line.trim() !== '...')
    .filter((line) => {
      const wanted = form(line);
      const isHead = wanted.endsWith('...');
      const found = lines.findIndex(
        (printed, place) =>
          place >= at && (isHead ? printed.startsWith(wanted.slice(0, -3)) : printed === wanted),
      );
      if (found >= 0) at = found + 1;
      return found < 0;
    });
}

/** Without what differs from run to run: times, sizes, and the width of columns. */
function plain(line: string): string {
  return line
    .replace(/\b\d+(:\d\d)+\b/g, 'TIME')
    .replace(/\b\d+(\.\d+)? (ms|s|min)\b/g, 'TIME')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A number and what is counted: one action or two actions, and none left out. */
function withoutCounts(line: string): string {
  return plain(line)
    .replace(/\b\d+ (ok|failed) · /g, '')
    .replace(/\b(\d+) (running )?(actions are|action is|items?)\b/g, 'SOME $2items')
    .replace(/\b\d+ /g, 'N ');
}

function shell(script: string): Promise<string> {
  const env = { ...process.env, HOME: folder, PATH: `${folder}/bin:${process.env.PATH}`, NO_COLOR: '1' };
  const child = spawn('bash', ['-c', `exec 2>&1\nset -m\n${script}\njobs -p | xargs -r kill`], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  groups.add(child.pid!);
  return new Promise((resolve) => {
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      printed += part;
    });
    child.once('close', () => resolve(printed));
  });
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const { port: free } = server.address() as { port: number };
      server.close(() => resolve(free));
    }),
  );
}
