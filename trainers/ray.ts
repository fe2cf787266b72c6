/**
 * Training as a job of Ray. If the project names no cluster, one is started on this host. The job has a fixed name,
 * so that a run after a crash finds the job that still runs and starts no second one.
 */
import { shellWord } from '../basics/shell.ts';

const LOCAL = 'http://127.0.0.1:8265';

export interface RayJob {
  id: string;
  /** null: a cluster of this host. */
  address: string | null;
  gpus: number;
  /** Variables of the job’s processes, by name; their values are those of this shell. */
  variables: readonly string[];
  /** The program, over several lines. */
  command: string;
}

/** Bash that starts what is needed and follows the job until it ends; when it is ended itself, it ends the job. */
export function rayScript({ id, address, gpus, variables, command }: RayJob): string[] {
  const at = address ?? LOCAL;
  const names = variables.map((name) => `'${name}'`).join(', ');
  const environment = `python3 -c "import json, os; print(json.dumps({'env_vars': {name: os.environ[name] for name in [${names}] if name in os.environ}}))"`;
  return [
    `export RAY_ADDRESS=${shellWord(at)}`,
    ...(address === null
      ? [
          `ray status >/dev/null 2>&1 || ray start --head --num-gpus ${gpus} --disable-usage-stats --dashboard-host=127.0.0.1 --dashboard-port=8265`,
        ]
      : []),
    `JOB=${id}`,
    `trap 'ray job stop "$JOB" >/dev/null 2>&1 || true${address === null ? '; ray stop >/dev/null 2>&1 || true' : ''}; exit 143' TERM INT`,
    // A job of an earlier run that still runs is followed. A job that failed is deleted, so that its name is free.
    'STATUS=$(ray job status "$JOB" 2>/dev/null || true)',
    'case "$STATUS" in',
    '  *RUNNING*|*PENDING*) ;;',
    '  *)',
    '    ray job delete "$JOB" >/dev/null 2>&1 || true',
    `    ray job submit --address="$RAY_ADDRESS" --submission-id "$JOB" --no-wait --runtime-env-json="$(${environment})" -- ${command} ;;`,
    'esac',
    'ray job logs "$JOB" -f & wait $! || true',
    'STATUS=$(ray job status "$JOB")',
    ...(address === null ? ['ray stop >/dev/null 2>&1 || true'] : []),
    'case "$STATUS" in *SUCCEEDED*) ;; *) echo "$STATUS"; exit 1 ;; esac',
  ];
}
