/** Protocols that have the agent print its patch: what is printed is the answer, as it is upstream. */
import { beforeAll, describe, expect, it } from 'vitest';
import { patchAsPrinted, printedPatch } from '../../../agent/printed-patch.ts';
import type { AgentSettings } from '../../../agent/settings.ts';
import { type Bench, bench, fenced, MARK, says, settingsOf } from './rig.ts';

const { roll }: Bench = bench();
const FIX = "sed -i 's/a - b/a + b/' calc.py";
const WRITE = 'git diff -- calc.py > patch.txt';
const PRINT = `echo ${MARK} && cat patch.txt`;
const FILE = `agent:
  system_template: "\`\`\`mswea_bash_command"
  instance_template: |
    {{task}}
    \`git diff -- path/to/file > patch.txt\`, look at it, then:
    \`\`\`mswea_bash_command
    ${PRINT}
    \`\`\`
`;

let settings: AgentSettings;
beforeAll(async () => {
  settings = await settingsOf({ templates: { from: 'm.yaml' } }, { 'm.yaml': FILE });
});

const patchAfter = async (...commands: string[]) =>
  (await roll(settings, says(...commands.map(fenced)), { limits: { steps: commands.length } })).trajectory;

describe('a patch that is printed', () => {
  it('is the answer: the files that it names, and no others', async () => {
    const trajectory = await patchAfter(`${FIX}; echo print > reproduce.py`, WRITE, PRINT);
    expect(trajectory).toMatchObject({ exit_status: 'submitted', patch_source: 'submission' });
    expect(trajectory.patch).toBe(trajectory.submission);
    expect(trajectory.patch).toMatch(/^diff --git a\/calc\.py b\/calc\.py\n[\s\S]*\+ {4}return a \+ b\n$/);
    expect(trajectory.patch.match(/^diff --git/gm)).toHaveLength(1);
  });

  it('may hold a file of the same name, which the repository has', async () => {
    const commit = 'git add -A; git -c user.name=a -c user.email=a@b commit -qm x';
    const { patch } = await patchAfter(
      `echo real > patch.txt; ${commit}; echo changed > patch.txt`,
      'git diff HEAD -- patch.txt > /tmp/all.txt; cp /tmp/all.txt patch.txt',
      PRINT,
    );
    expect(patch).toContain('-real\n+changed');
  });

  it('is taken from the workspace where printing spoils it', async () => {
    const { patch, patch_source: source } = await patchAfter(
      `printf 'a = "\\xe9"\\n' >> calc.py; echo x > other.py`,
      WRITE,
      PRINT,
    );
    expect(source).toBe('workspace');
    expect(patch.match(/^diff --git .*/gm)).toEqual(['diff --git a/calc.py b/calc.py']);
    expect(patch).toContain('GIT binary patch');
  });

  it('is what differs, without the file of the protocol, where none is printed', async () => {
    const names = ({ patch }: { patch: string }) => patch.match(/^diff --git .*/gm);
    const ours = ['diff --git a/calc.py b/calc.py', 'diff --git a/notes.txt b/notes.txt'];
    const work = `${FIX}; echo x > notes.txt`;
    expect(names(await patchAfter(work, WRITE))).toEqual(ours);
    expect(names(await patchAfter(work, WRITE, `echo ${MARK}`))).toEqual(ours);
    expect(names(await patchAfter(work, ': > patch.txt', PRINT))).toEqual(ours);
    expect(await patchAfter(WRITE)).toMatchObject({ patch: '', patch_source: 'none' });
  });
});

it('a file of the repository that is named like the protocol’s is kept', () => {
  const part = (name: string, mode: string) =>
    `diff --git a/${name} b/${name}\n${mode}--- ${mode === '' ? `a/${name}` : '/dev/null'}\n+++ b/${name}\n@@ -0,0 +1 @@\n+x\n`;
  const own = part('patch.txt', '');
  const added = part('a/patch.txt', 'new file mode 100644\n');
  const taken = { patch: own + added, source: 'workspace' as const, problem: null, leftOut: [] };
  expect(patchAsPrinted(taken, { file: 'patch.txt' }, null)).toEqual(taken);
  expect(patchAsPrinted(taken, { file: 'a/patch.txt' }, 'done')).toEqual({ ...taken, patch: own });
  expect(patchAsPrinted(taken, undefined, added)).toBe(taken);
});

it('an agent that is told to leave its work where it is may print what it likes', async () => {
  const own = await settingsOf();
  expect(own).not.toHaveProperty('printed_patch');
  const { trajectory } = await roll(
    own,
    says(...[`${FIX}; echo x > new.py`, `echo ${MARK} && git diff`].map(fenced)),
  );
  expect(trajectory.patch_source).toBe('workspace');
  expect(trajectory.patch).toContain('new.py');
});

it.each([
  [`echo ${MARK} && cat patch.txt`, { file: 'patch.txt' }],
  [`\`echo "${MARK}"; cat './out/p.diff'\` and nothing else`, { file: 'out/p.diff' }],
  [`echo ${MARK} && cat /tmp/patch.txt`, { file: null }],
  [`echo ${MARK} && cat /testbed/a.patch`, { file: 'a.patch' }],
  [`{"command": "echo ${MARK} && cat patch.txt"}`, { file: 'patch.txt' }],
  [`echo ${MARK} && git add -A && git diff --cached`, { file: null }],
  [`echo ${MARK}`, null],
  [`echo ${MARK}\nThen cat patch.txt && git diff`, null],
  ['cat patch.txt', null],
])('the protocol is read from the text: %s', (text, expected) => {
  expect(printedPatch(text, '/testbed')).toEqual(expected);
});
