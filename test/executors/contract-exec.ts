/** The part of the deployment contract about running commands: results, surroundings, limits of time and output. */
import { describe, expect, it } from 'vitest';
import { run, type Subject } from './contract.ts';

export function describeExecContract(subject: Subject): void {
  describeResults(subject);
  describeSurroundings(subject);
  describeEnding(subject);
}

function describeResults({ use }: Subject): void {
  describe('results of exec', () => {
    it('gives stdout, stderr and the exit code', async () => {
      const result = await use((workspace) => run(workspace, 'echo out; echo err >&2; exit 3'));
      expect(result).toMatchObject({ exitCode: 3, exitSignal: null, stdout: 'out\n', stderr: 'err\n' });
      expect(result).toMatchObject({ timedOut: false, truncated: false });
      expect(result.output).toContain('out\n');
      expect(result.output).toContain('err\n');
      expect(result.durationMs).toBeGreaterThanOrEqual(0);
    });

    it('names the signal that ended the command', async () => {
      const result = await use((workspace) => run(workspace, 'kill -9 $$'));
      expect(result).toMatchObject({ exitCode: null, exitSignal: 'SIGKILL', timedOut: false });
    });

    it('runs bash, with its quoting, and several lines', async () => {
      const command = 'a=(1 2 3)\necho "${a[2]}" \'$HOME\' "a b" `echo sub`\ncat <<\'END\'\nhere $x\nEND\n';
      const result = await use((workspace) => run(workspace, command));
      expect(result).toMatchObject({ exitCode: 0, stdout: '3 $HOME a b sub\nhere $x\n' });
    });

    it('takes a command longer than one argument of the system may be', async () => {
      const text = 'x'.repeat(300_000);
      const result = await use((workspace) => run(workspace, `printf %s '${text}' | wc -c`));
      expect(result.stdout.trim()).toBe('300000');
    });

    it('runs a login shell when asked for one, however long the command is', async () => {
      const text = 'x'.repeat(150_000);
      const [plain, login, long] = await use(async (workspace) => {
        const asked = { login: true };
        return [
          await run(workspace, 'shopt -q login_shell'),
          await run(workspace, 'shopt -q login_shell && echo there', asked),
          await run(workspace, `shopt -q login_shell && printf %s '${text}' | wc -c`, asked),
        ];
      });
      expect(plain!.exitCode).toBe(1);
      expect(login).toMatchObject({ exitCode: 0, stdout: 'there\n' });
      expect(long!.stdout.trim()).toBe('150000');
    });

    it('says 127 when there is no such program, and 2 when the syntax is wrong', async () => {
      await use(async (workspace) => {
        expect((await run(workspace, 'no-such-program-7f')).exitCode).toBe(127);
        expect((await run(workspace, 'if then')).exitCode).toBe(2);
      });
    });

    it('keeps the order in which the two streams arrived', async () => {
      const command = 'echo 1; sleep 0.4; echo 2 >&2; sleep 0.4; echo 3; sleep 0.4; echo 4 >&2';
      const result = await use((workspace) => run(workspace, command));
      expect(result.output).toBe('1\n2\n3\n4\n');
    });

    it('replaces invalid UTF-8 and keeps characters that arrive in pieces', async () => {
      const command = "printf 'a\\377b\\n'; printf '\\303'; sleep 0.3; printf '\\251\\n'";
      const result = await use((workspace) => run(workspace, command));
      expect(result.stdout).toBe('a\uFFFDb\né\n');
      expect(result.output).toBe('a\uFFFDb\né\n');
    });

    it('caps the output, keeps head and tail, and says how much is missing', async () => {
      const command = 'echo first; seq 1 200000; echo last';
      const result = await use((workspace) => run(workspace, command, { maxOutput: 10_000 }));
      expect(result).toMatchObject({ exitCode: 0, truncated: true });
      expect(result.output.startsWith('first\n1\n2\n')).toBe(true);
      expect(result.output.endsWith('\n200000\nlast\n')).toBe(true);
      expect(Buffer.byteLength(result.output)).toBeLessThan(10_300);
      const missing = Number(/(\d+) bytes/.exec(result.output)?.[1]);
      expect(missing).toBeGreaterThan(1_200_000);
    });

    it('leaves output below the cap whole', async () => {
      const result = await use((workspace) => run(workspace, 'seq 1 100000'));
      expect(result.truncated).toBe(false);
      expect(result.output).toBe(Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join(''));
    });

    it('answers a command with a NUL byte, which nothing can start, and goes on', async () => {
      await use(async (workspace) => {
        const wrong = await run(workspace, 'echo a\0b');
        expect(wrong).toMatchObject({ exitCode: 126, timedOut: false });
        expect(wrong.stderr).toContain('a NUL byte');
        expect(await run(workspace, 'echo $A', { env: { A: 'x\0y' } })).toMatchObject({ exitCode: 126 });
        expect((await run(workspace, 'echo still')).stdout).toBe('still\n');
      });
    });

    it('survives a flood', async () => {
      const result = await use((workspace) =>
        run(workspace, 'head -c 200000000 /dev/zero | tr "\\0" x; echo; echo end'),
      );
      expect(result).toMatchObject({ exitCode: 0, truncated: true });
      expect(result.output.endsWith('\nend\n')).toBe(true);
    });
  });
}

/** For deployments that have a stream of what commands print. */
export function describeOutputContract({ use }: Subject): void {
  describe('output of exec while it runs', () => {
    it('is told as it comes, and is what the result has', async () => {
      await use(async (workspace) => {
        const told: string[] = [];
        let sawFirst: () => void = () => undefined;
        const first = new Promise<void>((resolve) => {
          sawFirst = resolve;
        });
        const command =
          'echo one /testbed; until [ -e /testbed/go ]; do sleep 0.05; done; echo two >&2; sleep 0.4; printf "\\303"; sleep 0.4; printf "\\251 end"';
        const running = run(workspace, command, {
          onOutput: (text) => {
            told.push(text);
            sawFirst();
          },
        });
        await first;
        expect(told).toEqual(['one /testbed\n']);
        await run(workspace, 'touch /testbed/go');
        expect(await running).toMatchObject({ exitCode: 0, output: 'one /testbed\ntwo\né end' });
        expect(told.join('')).toBe('one /testbed\ntwo\né end');
      });
    });

    it('is told up to the bytes that the result may keep, also of a flood', async () => {
      await use(async (workspace) => {
        const told: string[] = [];
        const options = { timeout: 2, maxOutput: 10_000, onOutput: (text: string) => void told.push(text) };
        expect(await run(workspace, 'yes', options)).toMatchObject({ timedOut: true, truncated: true });
        expect(told.join('')).toBe('y\n'.repeat(5000));
      });
    });

    it('is told of a command that is cancelled, whose answer has none', async () => {
      await use(async (workspace) => {
        const controller = new AbortController();
        const told: string[] = [];
        const ended = await workspace.exec('echo before; sleep 200 & sleep 200', {
          timeout: 3600,
          signal: controller.signal,
          onOutput: (text) => {
            told.push(text);
            controller.abort();
          },
        });
        expect(ended).toMatchObject({ ok: false, fault: { status: 'stopped', reason: 'cancelled' } });
        expect(told).toEqual(['before\n']);
        expect((await run(workspace, 'echo on')).stdout).toBe('on\n');
      });
    });
  });
}

function describeSurroundings({ use }: Subject): void {
  describe('surroundings of exec', () => {
    it('starts in /testbed, or in cwd', async () => {
      await use(async (workspace) => {
        expect((await run(workspace, 'pwd; ls README.md')).stdout).toBe('/testbed\nREADME.md\n');
        expect((await run(workspace, 'pwd', { cwd: '/testbed/package' })).stdout).toBe('/testbed/package\n');
        expect((await run(workspace, 'pwd', { cwd: '/opt/env' })).stdout).toBe('/opt/env\n');
        expect((await run(workspace, 'cd /opt/env/bin && pwd')).stdout).toBe('/opt/env/bin\n');
      });
    });

    it('sets the variables of the environment, then those of the command', async () => {
      await use(async (workspace) => {
        const show = 'echo "$FROM_ENVIRONMENT $EXTRA"';
        expect((await run(workspace, show)).stdout).toBe('yes \n');
        expect((await run(workspace, show, { env: { EXTRA: "it's $x" } })).stdout).toBe("yes it's $x\n");
        expect((await run(workspace, show, { env: { FROM_ENVIRONMENT: 'no' } })).stdout).toBe('no \n');
        expect((await run(workspace, show)).stdout).toBe('yes \n');
      });
    });

    it('finds the programs of the environment', async () => {
      const result = await use((workspace) => run(workspace, 'hello; command -v hello'));
      expect(result.stdout).toBe('hello from lower\n/opt/env/bin/hello\n');
    });

    it('lets none of the host variables in', async () => {
      process.env.SWEMAKE_TEST_CANARY = 'canary-a81';
      process.env.PIP_CONSTRAINT = '/canary-a81';
      try {
        const result = await use((workspace) => run(workspace, 'env; export -p; cat /proc/self/environ'));
        expect(result.output).not.toContain('canary-a81');
      } finally {
        delete process.env.SWEMAKE_TEST_CANARY;
        delete process.env.PIP_CONSTRAINT;
      }
    });

    it('gives a home and a temporary folder of its own, both writable', async () => {
      const command = 'cd && touch a && f=$(mktemp) && echo x > "$f" && cat "$f"';
      const result = await use((workspace) => run(workspace, command));
      expect(result).toMatchObject({ exitCode: 0, stdout: 'x\n' });
    });

    it('gives commands no input', async () => {
      const result = await use((workspace) => run(workspace, 'cat; read line || echo none'));
      expect(result).toMatchObject({ exitCode: 0, stdout: 'none\n' });
    });

    it('keeps no shell state between commands', async () => {
      await use(async (workspace) => {
        await run(workspace, 'export LEFT=1; cd package; set -e');
        expect((await run(workspace, 'echo "[$LEFT]"; pwd; false; true')).stdout).toBe('[]\n/testbed\n');
      });
    });

    it('shows layers in order, mounts and links', async () => {
      await use(async (workspace) => {
        const files = 'cat /opt/env/shared.txt /opt/env/lower.txt /opt/env/upper.txt /opt/env/link.txt';
        expect((await run(workspace, files)).stdout).toBe('upper\nonly lower\nonly upper\nonly lower\n');
        expect((await run(workspace, 'cat /opt/mounted/tool.txt')).stdout).toBe('mounted\n');
        expect((await run(workspace, 'cat /opt/shortcut/shared.txt')).stdout).toBe('upper\n');
      });
    });

    it('runs commands at the same time in one workspace', async () => {
      await use(async (workspace) => {
        const wait =
          'for i in $(seq 200); do [ -e /testbed/go ] && echo went && exit 0; sleep 0.05; done; exit 9';
        const [waited] = await Promise.all([
          run(workspace, wait),
          run(workspace, 'sleep 0.2; touch /testbed/go'),
        ]);
        expect(waited.stdout).toBe('went\n');
      });
    });
  });
}

/** Writes a changing file for as long as it lives, ignores SIGTERM and SIGHUP, and has left its parents. */
const DAEMON = [
  '(setsid bash -c \'trap "" TERM HUP INT;',
  'while :; do date +%s%N > /testbed/alive.log; sleep 0.1; done',
  "' >/dev/null 2>&1 &)",
].join(' ');
const STILL_ALIVE =
  'a=$(cat /testbed/alive.log); sleep 1.5; b=$(cat /testbed/alive.log); [ "$a" = "$b" ] && echo dead || echo alive';

function describeEnding({ use }: Subject): void {
  describe('end of exec', () => {
    it('does not wait for what a command leaves in the background, and lets it live', async () => {
      await use(async (workspace) => {
        const started = await run(workspace, 'sleep 100 & echo started; echo $! > /testbed/pid.log');
        expect(started).toMatchObject({ exitCode: 0, timedOut: false, stdout: 'started\n' });
        expect((await run(workspace, 'kill -0 $(cat /testbed/pid.log) && echo alive')).stdout).toBe(
          'alive\n',
        );
      });
    });

    it('kills the whole tree at the timeout and keeps what was printed', async () => {
      await use(async (workspace) => {
        const stubborn = `echo before; echo wrong >&2; ${DAEMON}; trap "" TERM; sleep 200 & sleep 200`;
        const result = await run(workspace, stubborn, { timeout: 3 });
        expect(result).toMatchObject({
          exitCode: null,
          timedOut: true,
          stdout: 'before\n',
          stderr: 'wrong\n',
        });
        expect((await run(workspace, STILL_ALIVE)).stdout).toBe('dead\n');
      });
    });

    it('is usable after a timeout', async () => {
      await use(async (workspace) => {
        expect((await run(workspace, 'sleep 60', { timeout: 0.2 })).timedOut).toBe(true);
        expect((await run(workspace, 'echo again')).stdout).toBe('again\n');
      });
    });

    it('times out while output floods', async () => {
      const result = await use((workspace) => run(workspace, 'yes', { timeout: 2, maxOutput: 1000 }));
      expect(result).toMatchObject({ timedOut: true, truncated: true });
      expect(result.output.startsWith('y\ny\n')).toBe(true);
    });

    it('stops a command, and its children, when it is cancelled', async () => {
      await use(async (workspace) => {
        const controller = new AbortController();
        const running = workspace.exec(`${DAEMON}; sleep 200`, { timeout: 200, signal: controller.signal });
        await run(workspace, 'until [ -s /testbed/alive.log ]; do sleep 0.05; done');
        controller.abort();
        expect(await running).toMatchObject({ ok: false, fault: { status: 'stopped', reason: 'cancelled' } });
        expect((await run(workspace, STILL_ALIVE)).stdout).toBe('dead\n');
      });
    });

    it('ends whatever runs when it is asked to, and goes on', async () => {
      await use(async (workspace) => {
        await run(workspace, DAEMON);
        const running = workspace.exec('sleep 200', { timeout: 200 });
        await run(workspace, 'until [ -s /testbed/alive.log ]; do sleep 0.05; done');
        expect(await workspace.endProcesses()).toEqual({ ok: true, value: null });
        expect(await running).toMatchObject({ ok: true, value: { exitSignal: 'SIGKILL' } });
        expect((await run(workspace, STILL_ALIVE)).stdout).toBe('dead\n');
        expect(await workspace.endProcesses()).toMatchObject({ ok: true });
      });
    });

    it('does not start a command that is cancelled already', async () => {
      await use(async (workspace) => {
        const signal = AbortSignal.abort();
        const result = await workspace.exec('touch /testbed/started', { timeout: 10, signal });
        expect(result).toMatchObject({ ok: false, fault: { reason: 'cancelled' } });
        expect((await run(workspace, 'ls /testbed/started')).exitCode).not.toBe(0);
      });
    });
  });
}
