/**
 * Grades the patch of a Harbor trial in a fresh container of the task, by the same code as swemake itself: 1 or 0 into
 * reward.txt. The patch is what the collect command of task.toml left in /logs/artifacts. What is no verdict, or is neither 1
 * nor 0, leaves no reward: Harbor then reports a fault.
 *
 * It is bundled into one file, which each task has beside its tests.
 */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whenAbsent } from '../../../basics/absent.ts';
import { complaintOf, hasSucceeded, runProgram } from '../../../basics/program.ts';
import { fault, type Result, success } from '../../../basics/result.ts';
import type { EnvironmentView } from '../../../executors/deployment.ts';
import { gradePatch } from '../../../grading/grade.ts';
import type { GradeVerdict } from '../../../grading/grade-verdict.ts';
import { protectionOf } from '../../../grading/rules/protect.ts';
import { mayBuild } from '../../../grading/run/environment-changes.ts';
import type { CheckSetup } from '../../../grading/run/setup.ts';
import { findParser } from '../../../parsers/registry.ts';
import { type Infra, infra } from '../../../schemas/outcome.ts';
import { containerDeployment } from './container.ts';
import { type GraderTask, replayFiles } from './task.ts';

/** Seconds for copying the environment. */
const COPY_TIMEOUT = 600;

await main(process.argv[2] ?? '/tests', process.env.HARBOR_LOGS ?? '/logs');

async function main(tests: string, logs: string): Promise<void> {
  const made = join(logs, 'verifier');
  await mkdir(made, { recursive: true });
  const reward = join(made, 'reward.txt');
  await rm(reward, { force: true });
  const task = JSON.parse(await readFile(join(tests, 'task.json'), 'utf8')) as GraderTask;
  const graded = await grade(task, tests, join(logs, 'artifacts'), (text) => void process.stdout.write(text));
  if (!graded.ok) return giveUp(`fault (${graded.fault.reason}): ${graded.fault.detail}`);
  const { verdict } = graded.value;
  if (graded.value.log !== null) await writeFile(join(made, 'tests.log'), graded.value.log);
  await writeFile(join(made, 'verdict.json'), `${JSON.stringify(verdict, null, 1)}\n`);
  if (verdict.reward === null) return giveUp(`no reward (${verdict.reason}): ${verdict.detail}`);
  await writeFile(reward, `${verdict.reward}\n`);
  const why = verdict.reason === null ? 'resolved' : `${verdict.reason}: ${verdict.detail}`;
  process.stdout.write(`reward ${verdict.reward}: ${why}\n`);
}

function giveUp(why: string): void {
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
}

interface Graded {
  verdict: Pick<GradeVerdict, 'reward' | 'reason' | 'detail'>;
  log: string | null;
}

async function grade(
  task: GraderTask,
  tests: string,
  artifacts: string,
  log: (text: string) => void,
): Promise<Result<Graded, Infra>> {
  const diff = await collected(artifacts, task.maxPatch);
  if (!diff.ok) return diff;
  if (diff.value.kind === 'refused') {
    const verdict = { reward: 0, reason: 'patch-refused', detail: diff.value.why } as const;
    return success({ verdict, log: null });
  }
  const setup = await setupOf(task, tests, log);
  if (!setup.ok) return setup;
  const { preset, maxPatch, suspicion, baseline } = task;
  const request = { diff: diff.value.text, preset, max_patch: maxPatch, repeats: 0, suspicion, baseline };
  const graded = await gradePatch(request, setup.value);
  if (graded.ok) return graded;
  const end = graded.fault;
  return fault(end.status === 'infra' ? end : infra('helper', 'detail' in end ? end.detail : end.status));
}

type Collected = { kind: 'patch'; text: string } | { kind: 'refused'; why: string };

/** The patch that the agent left. */
async function collected(artifacts: string, maxPatch: number): Promise<Result<Collected, Infra>> {
  const code = await readFile(join(artifacts, 'patch.code'), 'utf8').catch(whenAbsent(null));
  if (code === null) return fault(infra('helper', 'no patch was collected'));
  const path = join(artifacts, 'patch.diff');
  if (code.trim() !== '0' || !existsSync(path)) {
    const why = `git could not say what the agent changed (exit code ${code.trim()})`;
    return success({ kind: 'refused', why });
  }
  if ((await stat(path)).size > maxPatch)
    return success({ kind: 'refused', why: `the patch is larger than ${maxPatch} bytes` });
  return success({ kind: 'patch', text: await readFile(path, 'utf8') });
}

async function setupOf(
  task: GraderTask,
  tests: string,
  log: (text: string) => void,
): Promise<Result<CheckSetup, Infra>> {
  const { instance, services, evalCommands, testCommand, timeout, protection, withheld, copies } = task;
  const parser = findParser(task.parser);
  if (parser === null) return fault(infra('internal', `there is no log parser "${task.parser}"`));
  const variables = Object.fromEntries(
    Object.entries(process.env).filter(([name, value]) => value !== undefined && name !== 'HARBOR_LOGS'),
  );
  const isBuilding = mayBuild({ evalCommands, services, testCommand }) || /\s-n\b/.test(testCommand);
  const layer = isBuilding ? await environmentCopy() : success('/');
  if (!layer.ok) return layer;
  const environment: EnvironmentView = { layers: [layer.value], mounts: [], links: {}, variables: {} };
  const state = {
    ...{ view: { layer: '/' }, commit: '', withheld: [...withheld], copies: [...copies] },
    folder: join(tests, 'hidden'),
    release: () => undefined,
  };
  return success({
    deployment: await containerDeployment(variables),
    environment,
    isOtherBuild: true,
    isSingle: true,
    state: () => Promise.resolve(success(state)),
    instance,
    start: [],
    ...{ services, evalCommands, testCommand, parser, timeout, log },
    protection: protectionOf(instance, protection.command, {
      ...protection.context,
      files: replayFiles(protection.files),
    }),
    limits: {},
    network: 'off',
    signal: new AbortController().signal,
    alone: (_seconds, work) => work(),
  });
}

/** The environment as it is before a patch is applied, for comparison. Its place has a name that nothing can guess. */
async function environmentCopy(): Promise<Result<string, Infra>> {
  const folder = `/tmp/.swemake-${randomBytes(16).toString('hex')}`;
  await mkdir(join(folder, 'opt'), { recursive: true });
  const argv = ['cp', '-a', '/opt/env', join(folder, 'opt/env')];
  const end = await runProgram({ argv, env: process.env, timeout: COPY_TIMEOUT });
  return hasSucceeded(end) ? success(folder) : fault(infra('helper', `cp: ${complaintOf(end)}`));
}
