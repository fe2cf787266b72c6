/** `doctor`: what this machine can do for a project, each lack with the one command that mends it. */
import { mkdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResolvedProject } from '../compiler/load.ts';
import type { Probe } from '../executors/sandbox/probe.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';
import type { CommandIo } from './io.ts';
import { openProject } from './open-project.ts';
import { PROJECT_OPTIONS } from './project-options.ts';
import { cacheRoot } from './workbench.ts';

const DOCTOR = {
  name: 'doctor',
  summary:
    'Say what this machine can do, and what would help. Ends with code 3 when something needed is missing.',
  positionals: [{ name: 'PROJECT', description: 'also check what this project needs' }],
  options: { ...PROJECT_OPTIONS, json: { type: 'boolean', description: 'print one JSON object' } },
} as const satisfies CommandSpec;

/** Free space below which a build is likely to end early, bytes. */
const LITTLE_DISK = 2 * 1024 ** 3;

export async function doctorCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(DOCTOR, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const [file] = parsed.positionals;
  const project = file === undefined ? null : await openProject(file, parsed.values, io);
  if (file !== undefined && project === null) return 2;
  const folder = project === null ? tmpdir() : cacheRoot(project);
  mkdirSync(folder, { recursive: true });
  const { probeSandbox } = await import('../executors/sandbox/probe.ts');
  const probes = [
    nodeProbe(),
    ...(await probeSandbox(folder)),
    ...(await pythonProbes(project, io)),
    await diskProbe(folder),
  ];
  const usable = verdict(probes, project);
  if (parsed.values.json) io.stdout.write(`${JSON.stringify({ probes, ...usable })}\n`);
  else io.stdout.write(`${probes.map(probeLine).join('')}${usable.summary}\n`);
  return usable.ok ? 0 : 3;
}

function probeLine({ name, status, detail, remedy }: Probe): string {
  const help = remedy === undefined ? '' : `  → ${remedy}`;
  return `${status.padEnd(5)} ${name}: ${detail}${help}\n`;
}

/** Probes of what the sandbox alone needs: a project that may use plain processes does without them. */
const SANDBOX_ONLY = /namespace|overlay|seccomp|proc|mount|limit|idmap/i;

function verdict(
  probes: readonly Probe[],
  project: ResolvedProject | null,
): { ok: boolean; summary: string } {
  const missing = probes.filter((probe) => probe.status === 'miss');
  if (missing.length === 0) return { ok: true, summary: 'this machine is ready' };
  const names = missing.map((probe) => probe.name).join(', ');
  const strict =
    project !== null && project.config.deployments[project.config.validation.deployment]?.type === 'sandbox';
  if (!strict && missing.every((probe) => SANDBOX_ONLY.test(probe.name))) {
    return {
      ok: true,
      summary: `the sandbox does not work here (${names}); deployments of type auto use plain processes`,
    };
  }
  return { ok: false, summary: `missing: ${names}` };
}

function nodeProbe(): Probe {
  return { name: 'node', status: 'ok', detail: process.version };
}

/** The interpreters that recipes of the project name, and the host's own. */
async function pythonProbes(project: ResolvedProject | null, io: CommandIo): Promise<Probe[]> {
  const { findInterpreter } = await import('../stages/python/interpreter.ts');
  const named = project?.config.environments.recipes.flatMap((recipe) => recipe.python ?? []) ?? [];
  const { treesOf } = await import('../stages/environments/interpreter.ts');
  const probes: Probe[] = [];
  for (const version of [null, ...new Set(named)]) {
    const python = project?.config.environments.python;
    const found = await findInterpreter(version, {
      env: io.env,
      executable: version === null ? undefined : python?.versions[version],
      ...(project === null || python === undefined ? {} : treesOf(python, project.folder)),
    });
    const name = `python ${version ?? '(default)'}`;
    if (found.ok) {
      probes.push({ name, status: 'ok', detail: `${found.value.version} at ${found.value.executable}` });
    } else {
      const [detail, remedy] = found.fault.detail.split('; this provides it: ');
      probes.push({ name, status: 'miss', detail: detail!, ...(remedy === undefined ? {} : { remedy }) });
    }
  }
  return probes;
}

async function diskProbe(folder: string): Promise<Probe> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const detail = `${(free / 1024 ** 3).toFixed(0)} GiB free at ${join(folder)}`;
  if (free > LITTLE_DISK) return { name: 'disk', status: 'ok', detail };
  return {
    name: 'disk',
    status: 'soft',
    detail,
    remedy: 'free some space, or move the cache with cache.folder',
  };
}
