/**
 * A rehearsal of projects/chain before anything of it is built: its program loads weights and serves them itself, begins with a checkpoint that
 * SFT has not made yet, and starts an agent server of the project. REHEARSAL_PYTHON names an interpreter that has torch, transformers, jinja2
 * and httpx; TRL and its data sets have stand-ins where they are not there.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { RehearsalResult } from '../../app/rehearsal/rehearse.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { Project } from '../rig/project.ts';
import { TIMEOUT } from './planted.ts';

const python = process.env.REHEARSAL_PYTHON ?? 'python3';
const { status, stdout } = spawnSync(
  python,
  ['-c', 'import sys, torch, transformers, jinja2, httpx; print(sys.executable)'],
  { encoding: 'utf8' },
);
if (status !== 0)
  console.log(`skipped: a rehearsal of the chain: ${python} has not torch, transformers, jinja2 and httpx`);
const on = test.skipIf(status !== 0);

const folder = temporaryFolder();
const project = new Project(join(folder, 'chain'), {
  SWEMAKE: `${process.execPath} ${packageRoot()}/bin/swemake.js`,
  ACTIVATE: `export PATH=${dirname(stdout.trim())}:$PATH PYTHONPATH=${packageRoot()}/python LD_LIBRARY_PATH=${process.env.LD_LIBRARY_PATH ?? ''}`,
});
mkdirSync(project.folder);
copyFileSync(`${packageRoot()}/projects/quickstart.jsonl`, join(folder, 'quickstart.jsonl'));
const original = {
  'project.yaml': readFileSync(`${packageRoot()}/projects/chain/project.yaml`, 'utf8'),
  'chain.py': readFileSync(`${packageRoot()}/projects/chain/chain.py`, 'utf8'),
};

/** The chain with one text in place of another one. */
async function rehearsed(file: keyof typeof original = 'chain.py', from = '', to = '') {
  expect(original[file]).toContain(from);
  const changed = { ...original, [file]: original[file].replace(from, to) };
  for (const [name, text] of Object.entries(changed)) writeFileSync(project.path(name), text);
  const end = await project.run('rehearse', 'project.yaml', '--json', '--timeout', '3m');
  const result = end.stdout === '' ? null : (JSON.parse(end.stdout) as RehearsalResult);
  return { ...end, result };
}

on(
  'before SFT has a checkpoint: each written token is trained once, and what was replaced is said',
  async () => {
    const { code, result, stderr } = await rehearsed();
    expect(code, stderr).toBe(0);
    const once = { share: 1, drift: 0, foreign: 0, twice: 0, behind: 0, misaligned: 0, sequences: 8 };
    expect(result!.measured).toMatchObject(once);
    const { turns } = result!.measured!;
    expect(turns.written).toBeGreaterThan(8);
    expect(turns.trained).toBe(turns.written);
    const said = result!.replaced.join('\n');
    expect(said).toContain('the checkpoint of trainer.sft: ');
    expect(said).toContain('a model in its process whose logits allow what the scripts say');
    expect(result!.unread).toEqual([]);
  },
  TIMEOUT,
);

on(
  'a training that begins with the base model is found where the project says so',
  async () => {
    const { result: sound } = await rehearsed();
    cpSync(join(sound!.folder, 'sft-checkpoint'), project.path('base'), { recursive: true });
    const { code, stderr, result } = await rehearsed(
      'project.yaml',
      'CHAIN_STEPS: "6"',
      'CHAIN_STEPS: "6"\n      HF_CKPT: base',
    );
    expect(code, stderr).toBe(1);
    expect(stderr).toMatch(/E007 {2}the training begins with \S*base, and trainer\.rl\.model says/);
    expect(stderr).toMatch(/HF_CKPT: base/);
    expect(result!.diagnostics).toHaveLength(1);
    // A server that the program starts answers with rollouts of this rehearsal, and not with those of the last one.
    expect(result!.measured).toMatchObject({ share: 1, drift: 0, foreign: 0 });
  },
  TIMEOUT,
);

on(
  'prompts that the program tokenises again are found',
  async () => {
    const known = '[*self.known.get(before, []), *rest]';
    const again = 'self.tokenizer.encode(text, add_special_tokens=False)';
    const { code, stderr } = await rehearsed('chain.py', known, again);
    expect(code, stderr).toBe(1);
    // TRL takes one sequence of a rollout, and such prompts do not go on from one another.
    expect(stderr).toMatch(/E007 {2}the rollouts ended with RolloutFault: .* makes \d+ sequences/);
  },
  TIMEOUT,
);
