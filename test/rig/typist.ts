/** Somebody at a terminal: runs a command on a pseudo-terminal of 80 columns and types when a text has appeared. */
import { execa } from 'execa';

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

export interface Typed {
  code: number;
  shown: string;
  /** Answers whose text did not come. */
  left: string[][];
}

/** Each of `answers` is typed when the text before it has appeared after the one before. */
export async function typed(
  command: string[],
  answers: [after: string, keys: string][],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<Typed> {
  const env = { ...process.env, TERM: 'xterm', NO_COLOR: '1', ...options.env };
  const argv = ['-c', TYPIST, JSON.stringify(answers), ...command];
  const { stdout } = await execa('python3', argv, { cwd: options.cwd, env, stdin: 'ignore' });
  return JSON.parse(stdout) as Typed;
}
