/** Runs a script on a machine of a project: over ssh, or on the one that this command runs on. */
import { complaintOf, runProgram } from '../../basics/program.ts';
import { hostOf, type NodeConfig } from './cluster.ts';

/** Seconds for one machine. */
const TIMEOUT = 300;
/** Seconds of a part that stays in the foreground. */
const FOREVER = 10 * 365 * 86_400;
/** Seconds between SIGTERM and SIGKILL; Slurm gives 30. */
const GRACE = 20;

export interface NodeEnd {
  name: string;
  /** What was to be started or ended. */
  service: string;
  isWell: boolean;
  /** What the machine printed, or why it was not reached. */
  output: string;
}

/** ssh reads its own settings, and asks for no password. */
export async function runOverSsh(
  node: NodeConfig,
  service: string,
  script: string,
  env: NodeJS.ProcessEnv,
): Promise<NodeEnd> {
  const target = node.ssh ?? hostOf(node);
  return run(
    node,
    service,
    ['ssh', '-T', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=15', '--', target, 'bash', '-s'],
    script,
    env,
  );
}

export async function runHere(
  node: NodeConfig,
  service: string,
  script: string,
  env: NodeJS.ProcessEnv,
): Promise<NodeEnd> {
  return run(node, service, ['bash', '-s'], script, env);
}

async function run(
  { name }: NodeConfig,
  service: string,
  argv: string[],
  script: string,
  env: NodeJS.ProcessEnv,
): Promise<NodeEnd> {
  const end = await runProgram({ argv, env, input: script, timeout: TIMEOUT, leavesOthers: true });
  const isWell = end.kind === 'exited' && end.exitCode === 0;
  return {
    name,
    service,
    isWell,
    output: isWell ? end.stdout.trim() : end.stderr.trim() || complaintOf(end),
  };
}

/** A part in the foreground until it ends or `signal` says so; its exit code. */
export async function stayHere(
  script: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  print: (text: string) => void,
): Promise<number> {
  const end = await runProgram({
    ...{ argv: ['bash', '-c', script], env, timeout: FOREVER, signal, grace: GRACE },
    onOutput: (bytes) => print(bytes.toString('utf8')),
  });
  if (end.kind === 'cancelled') return 0;
  return end.kind === 'exited' ? end.exitCode : 3;
}
