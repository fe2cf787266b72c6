/** A command that lets nobody into the root folder of its workspace keeps its limits. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { findPython } from '../../executors/sandbox/python.ts';
import { run } from './contract.ts';
import { kinds, type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

for (const kind of kinds)
  describe(`a workspace ${kind.name} whose root folder may not be entered`, () => {
    let made: MadeSandbox;
    beforeAll(async () => {
      made = await makeSandbox(kind);
    });
    afterAll(() => made.cleanup());

    it('ends a command whose time is over, and what that started', () =>
      withWorkspace(made.deployment, async (workspace) => {
        const code = "import os, time; os.chmod('/', 0); os.fork(); time.sleep(1000)";
        const end = await run(workspace, `python3 -c "${code}"`, { timeout: 2, cwd: '/' });
        expect(end).toMatchObject({ timedOut: true });
      }));

    it('holds its limit of memory', () =>
      withWorkspace(
        made.deployment,
        async (workspace) => {
          const hog = `python3 -c "
import os, time
os.chmod('/', 0)
time.sleep(1)
held = []
while True:
    held.append(b'x' * (8 << 20))
    time.sleep(0.02)
"`;
          const end = await run(workspace, hog, { timeout: 100, cwd: '/' });
          expect(end.timedOut).toBe(false);
          expect(end.exitCode).not.toBe(0);
        },
        { limits: { memory: 128 << 20 } },
      ));
  });

/** Starts a command in process 1, which is kept out of the root folder from then on. */
const QUICK = `
import os, sys, types
sys.path.insert(0, sys.argv[1])
import supervisor

def closed(path, chdir=os.chdir):
    if path == '/':
        raise PermissionError(13, 'Permission denied')
    chdir(path)

made = object.__new__(supervisor.Supervisor)
made.null = made.score = os.open('/dev/null', os.O_RDWR)
made.own_score = 0
header = {'cwd': os.getcwd(), 'login': False, 'env': {}}
os.chdir = closed
pid = made._spawn('exit 7', header, types.SimpleNamespace(mark=1, writers={1: made.null, 2: made.null}), [])
print(os.waitpid(pid, 0)[1] >> 8)
`;

it('a command that closes the root folder before process 1 goes on has started', () => {
  const helpers = join(packageRoot(), 'executors/sandbox');
  expect(execFileSync(findPython()!, ['-c', QUICK, helpers], { encoding: 'utf8' })).toBe('7\n');
});
