/**
 * Shell scripts that start and end what runs on a machine, for a shell there that needs nothing but the programs themselves.
 * What was started is noted with the time at which it began, so that a second start starts nothing, and an end ends this and
 * nothing else: `ray stop` would end every Ray of the machine.
 */
import { shellWord } from '../../basics/shell.ts';
import type { NodeConfig } from './cluster.ts';
import type { Service } from './services.ts';

/** Seconds for a service to say that it runs. */
const START = 120;
/** Seconds between SIGTERM and SIGKILL. */
const GRACE = 20;

/** Starts it in the background; ends when it runs, or why it does not is on stderr. */
export function upScript(node: NodeConfig, service: Service): string {
  const { command, ready, port } = service;
  return `${places(node, service)}
if runs; then
  echo 'is up already'
  exit 0
fi
${port === null ? '' : notOurs(port)}${activation(node)}: > "$state.log"
setsid bash -c ${shellWord(`exec ${command}`)} < /dev/null >> "$state.log" 2>&1 9>&- &
pid=$!
echo "$pid $(began "$pid") $boot" > "$state.pid"
for _ in $(seq ${START}); do
  if grep -q ${shellWord(ready)} "$state.log"; then
    echo 'is up'
    exit 0
  fi
  runs || break
  sleep 1
done
grep -v '^ *$' "$state.log" | tail -n 5 >&2
kill -KILL -- "-$pid" 2> /dev/null
rm -f "$state.pid"
exit 1
`;
}

/** What a service manager started is as good. */
function notOurs(port: number): string {
  return `if (exec 3<> /dev/tcp/127.0.0.1/${port}) 2> /dev/null; then
  echo 'was started by something else'
  exit 0
fi
`;
}

/** Runs them in the foreground, for launchers that wait for their programs. When one of them ends, all do. */
export function blockScript(node: NodeConfig, services: readonly Service[]): string {
  const [first, ...others] = services;
  if (first !== undefined && others.length === 0) return `${activation(node)}exec ${first.command}\n`;
  const lines = services.map(({ command }) => `${command} &\n`);
  return `${activation(node)}trap 'wait; exit 0' TERM INT
${lines.join('')}wait -n
code=$?
kill $(jobs -p) 2> /dev/null
wait
exit "$code"
`;
}

/** Ends what {@link upScript} started. */
export function downScript(node: NodeConfig, service: Pick<Service, 'name'>): string {
  return `${places(node, service)}
if ! runs; then
  rm -f "$state.pid"
  echo 'is down already'
  exit 0
fi
read -r pid _ < "$state.pid"
kill -TERM -- "-$pid"
for _ in $(seq ${GRACE * 5}); do
  kill -0 -- "-$pid" 2> /dev/null || break
  sleep 0.2
done
kill -KILL -- "-$pid" 2> /dev/null
rm -f "$state.pid"
echo 'is down'
`;
}

/** Where a machine notes what was started on it; one script at a time reads and writes there. */
function places({ name }: NodeConfig, service: Pick<Service, 'name'>): string {
  return `state="\${XDG_STATE_HOME:-$HOME/.local/state}/swemake"
mkdir -p "$state" || exit 1
state=$state/${service.name}-${name}
exec 9> "$state.lock"
flock 9
boot=$(cat /proc/sys/kernel/random/boot_id)
began() { sed 's/.*) //' "/proc/$1/stat" 2> /dev/null | cut -d ' ' -f 20; }
runs() {
  read -r pid since when 2> /dev/null < "$state.pid" && [ "$when" = "$boot" ] && [ -n "$since" ] &&
    [ "$(began "$pid")" = "$since" ]
}`;
}

function activation({ activate }: NodeConfig): string {
  if (activate === undefined) return '';
  return `${activate} || { echo ${shellWord(`"${activate}" failed`)} >&2; exit 1; }\n`;
}
