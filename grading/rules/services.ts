/**
 * The part of the eval script that starts a recipe's services and waits for them. It runs before the task's own
 * commands, in the same shell. Services end with the workspace's processes; their output is written to files. If one
 * is not ready in time, the shell ends before the tests, so there is nothing that looks like a verdict.
 */

import { shellWord } from '../../basics/shell.ts';
import type { ExecResult } from '../../executors/deployment.ts';
import { type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import { type Service, serviceFolder } from '../../schemas/recipe.ts';
import { START_MARKER } from '../logs/log.ts';

const NOT_READY = '>>>>> Service Not Ready:';
/** The shell's exit code in that case. */
const NOT_READY_CODE = 98;
const BACKGROUND = 'recipe key background';
const FOLDER = '/tmp/.swemake-services';
/** Seconds to wait if the service sets none. */
const WAIT = 60;
/** Bytes of a service's log that the fault shows. */
const TAIL = 2000;

/** The commands of the services, for finding the files that they open. */
export function commandsOf(services: readonly Service[]): string[] {
  return services.flatMap(({ run, ready = [] }) => [run, ready].flat());
}

/** Seconds that waiting for all of them may take. */
export function longestWait(services: readonly Service[]): number {
  return services.reduce((sum, { timeout = WAIT }) => sum + timeout, 0);
}

/** Lines of bash that start the services one after the other, each when the one before is ready. */
export function serviceLines(services: readonly Service[]): string[] {
  if (services.length === 0) return [];
  const hosts = [...new Set(services.flatMap(({ hosts: named = [] }) => named))];
  return [
    `mkdir -p ${FOLDER}`,
    ...hosts.map((host) => `printf '127.0.0.1\\t%s\\n' ${shellWord(host)} >> /etc/hosts`),
    ...(hosts.length === 0 ? [] : [pastProxy(hosts)]),
    ...services.flatMap(startLines),
  ];
}

/** Exempts the hosts of services from the workspace's proxy, which cannot reach them. */
function pastProxy(hosts: readonly string[]): string {
  const all = `"$no_proxy",${shellWord(hosts.join(','))}`;
  return `[ -z "\${no_proxy:-}" ] || export no_proxy=${all} NO_PROXY=${all}`;
}

function startLines({ name, run, pip = [], port, ready, timeout = WAIT }: Service): string[] {
  const log = `${FOLDER}/${name}.log`;
  const packages = serviceFolder(name);
  const checks = [
    ...(port === undefined ? [] : [`(: < /dev/tcp/127.0.0.1/${port})`]),
    ...(ready === undefined ? [] : [`timeout -k 1 "$left" bash -c ${shellWord(ready)}`]),
  ];
  return [
    '(',
    ...(pip.length === 0 ? [] : [`export VIRTUAL_ENV=${packages} PATH=${packages}/bin:"$PATH"`]),
    `bash -c ${shellWord(run)} > ${log} 2>&1 < /dev/null`,
    `echo "$?" > ${log}.code`,
    ') &',
    '(',
    // A service that put itself into the background has exit code 0.
    `has_ended() { [ -s ${log}.code ] && read -r code < ${log}.code && [ "$code" != 0 ]; }`,
    `until=$((SECONDS + ${Math.ceil(timeout)}))`,
    'while left=$((until - SECONDS)); [ "$left" -gt 0 ] && ! has_ended; do',
    `if { ${checks.join(' && ')}; } > ${log}.ready 2>&1 < /dev/null; then exit 0; fi`,
    'sleep 0.1',
    'done',
    `if has_ended; then why="ended with code $code"; else why='was not ready in ${timeout} s'; fi`,
    `echo "${NOT_READY} ${name} $why"`,
    `tail -c ${TAIL} ${log} ${log}.ready`,
    `exit ${NOT_READY_CODE}`,
    `) || exit ${NOT_READY_CODE}`,
  ];
}

/**
 * A bash script that prints, after the tests, which services ended with another code than 0, or no longer take connections. Tests
 * without their service say nothing of the code that they test.
 */
export function lostServices(services: readonly Service[]): string {
  return services
    .map(({ name, port }) => {
      const log = `${FOLDER}/${name}.log`;
      const checks = [
        `if read -r code 2> /dev/null < ${log}.code && [ "$code" != 0 ]; then why="ended with code $code"`,
        ...(port === undefined
          ? []
          : [
              `elif ! (: < /dev/tcp/127.0.0.1/${port}) 2> /dev/null; then why='takes no connections any more'`,
            ]),
        'else why=; fi',
      ];
      const say = `echo "service ${name} $why; its log ends:"; tail -c ${TAIL} ${log}`;
      return [...checks, `if [ -n "$why" ]; then ${say}; fi`].join('\n');
    })
    .join('\n');
}

/** The fault when a service did not become ready; null when the tests were begun. */
export function serviceFault({ output, exitCode }: Pick<ExecResult, 'output' | 'exitCode'>): Infra | null {
  if (exitCode !== NOT_READY_CODE) return null;
  const at = output.indexOf(NOT_READY);
  const start = output.indexOf(START_MARKER);
  if (at < 0 || (start >= 0 && start < at)) return null;
  const [first = '', ...log] = output
    .slice(at + NOT_READY.length)
    .trim()
    .split('\n');
  return infra('service-not-ready', `${BACKGROUND}: ${first}; its log ends: ${log.join('\n').trim()}`);
}

/** Whether an end is that of a service of the recipe, which starts when the patch is applied. */
export function isServiceFault(end: Outcome): boolean {
  return end.status === 'infra' && end.reason === 'service-not-ready' && end.detail.startsWith(BACKGROUND);
}
