/** `swemake init` as somebody meets it: the real command on a pseudo-terminal, its questions answered as they appear. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';

/** Runs a command on a terminal of 80 columns. Each answer is typed when the text before it has appeared. */
const TYPIST = `
import fcntl, json, os, pty, struct, sys, termios
answers = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
shown, seen = b'', 0
while True:
    try:
        more = os.read(terminal, 4096)
    except OSError:
        break
    if not more:
        break
    shown += more
    while answers and (at := shown.find(answers[0][0].encode(), seen)) >= 0:
        wanted, typed = answers.pop(0)
        seen = at + len(wanted)
        os.write(terminal, typed.encode())
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps({'code': code, 'shown': shown.decode(), 'left': answers}))
`;

const [TASKS, MODEL, NAME] = ['Tasks [quickstart]: ', 'answer? [none yet]: ', 'there [custom]: '];

interface Typed {
  code: number;
  shown: string;
  /** Answers whose question did not come. */
  left: string[][];
}

function typed(folder: string, answers: [after: string, keys: string][]): Typed {
  const command = [process.execPath, join(packageRoot(), 'bin/swemake.js'), 'init'];
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'home-cache'), TERM: 'xterm', NO_COLOR: '1' };
  const argv = ['-c', TYPIST, JSON.stringify(answers), ...command];
  return JSON.parse(execFileSync('python3', argv, { cwd: folder, env, encoding: 'utf8' })) as Typed;
}

test('a wrong answer is told and asked for again, and the project that comes out is written', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'rows.txt'), '');
  const { code, shown, left } = typed(folder, [
    [TASKS, 'rows.jsonl\r'],
    ['there is no file or folder "rows.jsonl"', ''],
    [TASKS, 'swe-smth\r'],
    ['did you mean the template "swe-smith"?', ''],
    [TASKS, 'swe-smith\r'],
    [MODEL, 'localhost:8000\r'],
    ['write it as http://127.0.0.1:8000/v1', ''],
    [MODEL, 'http://127.0.0.1:8000/v1\r'],
    [NAME, '\r'],
  ]);
  expect({ code, left }, shown).toEqual({ code: 0, left: [] });
  expect(shown).toContain('next: swemake build project.yaml');
  const text = readFileSync(join(folder, 'project.yaml'), 'utf8');
  expect(text).toMatch(/source: SWE-bench\/SWE-smith-py[\s\S]*base_url: "http:\/\/127.0.0.1:8000\/v1"/);
});

test.each([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
])('%s leaves, and nothing is written', (_, key) => {
  const folder = temporaryFolder();
  const { code, shown, left } = typed(folder, [
    [TASKS, 'swe-smith\r'],
    [MODEL, key],
  ]);
  expect({ code, left }, shown).toEqual({ code: 130, left: [] });
  expect(shown).toContain('stopped; nothing was written');
  expect(existsSync(join(folder, 'project.yaml'))).toBe(false);
});
