/** Which program trains: the version of its package where the deployment activates it, and the commits of its folders. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Services } from '../../contract/machine.ts';
import type { QuestionKind } from '../../contract/question.ts';
import { isEndedByForce } from '../../grading/ended.ts';
import { shellWord } from '../../grading/shell.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { RL_TRAINERS, SFT_TRAINERS } from '../../trainers/registry.ts';
import { trainingDeployment } from './settings.ts';

const TIMEOUT = 30_000;

/** Version of the package, commits of folders; `unknown` for what does not tell. The argument: which trainer. */
export const FRAMEWORK: QuestionKind<'sft' | 'rl', Record<string, string>> = {
  name: 'framework',
  changes: false,
  answer: (trainer, services) => askFramework(trainer, services),
};

async function askFramework(
  trainer: 'sft' | 'rl',
  services: Services,
): Promise<Result<Record<string, string>, Infra>> {
  const config = services.config.trainer?.[trainer];
  if (config === undefined || config.type === 'none') return success({});
  const found: Record<string, string> = {};
  const { distribution } =
    trainer === 'sft'
      ? SFT_TRAINERS[config.type as keyof typeof SFT_TRAINERS]
      : RL_TRAINERS[config.type as keyof typeof RL_TRAINERS];
  // In a container the image says it.
  if (distribution !== null && config.image === undefined) {
    const version = await askShell(versionCommand(distribution, activationOf(trainer, services)), services);
    if (!version.ok) return version;
    found[distribution] = version.value;
  }
  const folders = { folder: config.folder, module: 'module' in config ? config.module : undefined };
  for (const [name, folder] of Object.entries(folders)) {
    if (folder === undefined) continue;
    const place = shellWord(resolve(services.projectFolder, folder));
    const commit = await askShell(`git -C ${place} describe --always --dirty --abbrev=40`, services);
    if (!commit.ok) return commit;
    found[name] = commit.value;
  }
  return success(found);
}

/** The line that a deployment runs before each program; null: none. */
export function activationOf(trainer: 'sft' | 'rl', { config }: Pick<Services, 'config'>): string | null {
  const name = trainingDeployment(config, trainer);
  return (name === null ? undefined : config.deployments[name]?.activate) ?? null;
}

function versionCommand(distribution: string, activate: string | null): string {
  const question = `import importlib.metadata as m; print(m.version("${distribution}"))`;
  const python = `"$(command -v python || command -v python3)" -c '${question}'`;
  return activate === null ? python : `${activate}\n${python}`;
}

function askShell(
  command: string,
  { env, projectFolder }: Pick<Services, 'env' | 'projectFolder'>,
): Promise<Result<string, Infra>> {
  return new Promise((settle) => {
    execFile('bash', ['-c', command], { cwd: projectFolder, env, timeout: TIMEOUT }, (error, stdout) => {
      const last = stdout.trim().split('\n').at(-1) ?? '';
      if (error === null) return settle(success(last === '' ? 'unknown' : last));
      if (typeof error.code === 'number' && !isEndedByForce(error.code)) return settle(success('unknown'));
      const why = error.killed
        ? `did not answer within ${TIMEOUT / 1000} s`
        : `was not answered (${error.signal ?? error.code})`;
      settle(fault(infra('executor', `the question for the trainer’s version ${why}`)));
    });
  });
}
