/**
 * Training as a job of Ray. If neither the project nor RAY_ADDRESS names a cluster, one is started on this host, as the scripts of
 * slime and Miles do on their first node; it is stopped at the end. The job has a fixed name, so that a run after a crash finds the
 * job that still runs and starts no second one.
 */
import { shellWord } from '../basics/shell.ts';

const LOCAL = 'http://127.0.0.1:8265';

export interface RayJob {
  id: string;
  /** null: that of RAY_ADDRESS, else a cluster of this host. */
  address: string | null;
  /** Hosts of the cluster. */
  nodes: number;
  /** Of each host. */
  gpus: number;
  /** Variables of the job’s processes, by name; their values are those of this shell. */
  variables: readonly string[];
  /** The program, over several lines. */
  command: string;
}

/** Bash that starts what is needed and follows the job until it ends; when it is ended itself, it ends the job. */
export function rayScript({ id, address, nodes, gpus, variables, command }: RayJob): string[] {
  const names = variables.map((name) => `'${name}'`).join(', ');
  const environment = `python3 -c "import json, os; print(json.dumps({'env_vars': {name: os.environ[name] for name in [${names}] if name in os.environ}}))"`;
  return [
    ...(address === null ? ownCluster(nodes, gpus) : [`export RAY_ADDRESS=${shellWord(address)}`]),
    `JOB=${id}`,
    `trap 'ray job stop "$JOB" >/dev/null 2>&1 || true${address === null ? '; ${STOP_RAY:-true} >/dev/null 2>&1 || true' : ''}; exit 143' TERM INT`,
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
    ...(address === null ? ['${STOP_RAY:-true} >/dev/null 2>&1 || true'] : []),
    'case "$STATUS" in *SUCCEEDED*) ;; *) echo "$STATUS"; exit 1 ;; esac',
  ];
}

/** A cluster that something else started on this host is used and not stopped. Other hosts join by the command that is printed. */
function ownCluster(nodes: number, gpus: number): string[] {
  const others = nodes - 1;
  const alone = others === 0;
  return [
    'if [ -z "${RAY_ADDRESS:-}" ]; then',
    ...(alone ? [] : ['  export MASTER_ADDR=${MASTER_ADDR:-$(hostname -I | cut -d " " -f 1)}']),
    '  if ! ray status >/dev/null 2>&1; then',
    '    STOP_RAY="ray stop"',
    `    ray start --head ${alone ? '' : '--node-ip-address "$MASTER_ADDR" '}--num-gpus ${gpus} --disable-usage-stats --dashboard-host=127.0.0.1 --dashboard-port=8265`,
    '  fi',
    ...(alone
      ? []
      : [
          `  echo "on ${others === 1 ? 'the other node' : `each of the other ${others} nodes`}: ray start --address=$MASTER_ADDR:6379 --num-gpus ${gpus}"`,
        ]),
    `  export RAY_ADDRESS=${LOCAL}`,
    'fi',
  ];
}
