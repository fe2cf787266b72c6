/**
 * Code that acts only while it is graded must find nothing that tells it so. All that a process can see of its workspace
 * is written down in an agent's workspace and in that of a run of the tests, and compared, for each kind of executor that
 * opens workspaces on this machine. What differs is in a table of docs/internal/integrity-catalogue.md.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shellHandler } from '../../agent/kinds/bash/handler.ts';
import type { Deployment, EnvironmentView, Network } from '../../executors/deployment.ts';
import { createLocal } from '../../executors/local/local.ts';
import { openOnState } from '../../tasks/first-state/open.ts';
import { debianRoot, makeDocker, noEngine } from '../executors/docker-fixture.ts';
import { makeSandbox } from '../executors/sandbox-fixture.ts';
import { type Files, GradedTask, REPOSITORY, SOLUTION, systemLayer } from './task.ts';

/** Prints one line, `DUMP {name: what is seen}`: `dump.py REPOSITORY ENVIRONMENT`. */
const DUMP = String.raw`
import atexit, json, locale, os, re, resource, socket, stat, subprocess, sys, threading, time

REPOSITORY, ENVIRONMENT = sys.argv[1:]
SCRATCH = [ENVIRONMENT[:-len('opt/env')] + 'tmp'] + (['/var/tmp', '/run', '/root', '/dev/shm'] if ENVIRONMENT == '/opt/env' else [])
ROOT = REPOSITORY[:-len('/testbed')] or '/'

def text(path):
    try:
        with open(path, errors='replace') as file:
            return file.read()
    except OSError as error:
        return 'errno %s' % error.errno

def kind(number):
    try:
        mode = os.fstat(number).st_mode
    except OSError:
        return 'closed'
    name = 'null' if stat.S_ISCHR(mode) and os.fstat(number).st_rdev == os.stat('/dev/null').st_rdev else stat.S_IFMT(mode)
    return [name, os.isatty(number)]

def times(folder, is_linked=True):
    found = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != '__pycache__']
        for name in folders + names:
            path = os.path.join(place, name)
            one = os.lstat(path)
            found[os.path.relpath(path, folder)] = [one.st_mtime_ns, one.st_mode, one.st_uid, one.st_gid, one.st_nlink * (is_linked and not stat.S_ISDIR(one.st_mode))]
    return found

MARKER = 'SWEMAKE_WORKSPACE=' + os.environ.get('SWEMAKE_WORKSPACE', '')

def is_own(pid):
    """Where processes of the whole host show: those of this workspace."""
    return ROOT == '/' or any(mark in text('/proc/%s/%s' % (pid, name)) for name, mark in (('environ', MARKER), ('cmdline', ROOT)))

def own_processes():
    pids = [name for name in os.listdir('/proc') if name.isdigit() and is_own(name)]
    return sorted(text('/proc/%s/cmdline' % pid).replace('\0', ' ').strip() for pid in pids)

def parents():
    names, pid = [], os.getppid()
    while pid and is_own(pid):
        status = text('/proc/%d/stat' % pid)
        names.append(re.search(r'\((.*)\)', status)[1])
        pid = int(status.rsplit(')', 1)[1].split()[1])
    return names

def git(*words):
    # Its own settings only, and without a look at the index that git would then write.
    return subprocess.run(['git', '--no-optional-locks', '-C', REPOSITORY] + list(words), stdout=-1, stderr=-1).stdout.decode()

def number_of(path, name):
    return re.findall(name + r'.*?(\d+)', text(path))

def places(folder):
    """Files in the order of their inodes, and those on another device than one that nobody touches."""
    found = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ('__pycache__', '.git')]
        for name in names:
            found[os.path.relpath(os.path.join(place, name), folder)] = os.lstat(os.path.join(place, name))
    usual = found['pkg/util.py'].st_dev
    return {
        'inodes': sorted(found, key=lambda name: found[name].st_ino),
        'own': sorted(name for name in found if found[name].st_dev != usual),
    }

def session():
    fields = text('/proc/self/stat').rsplit(')', 1)[1].split()
    return ['terminal %s' % fields[4], os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid(), os.getpgrp() == os.getsid(0)]

def file_system(path):
    stats = os.statvfs(path)
    return [stats.f_bsize, stats.f_namemax, stats.f_flag]

status = dict(line.split(':\t', 1) for line in text('/proc/self/status').splitlines() if ':\t' in line)
# Layers share files by links; that those of the runner are copies while they are watched is in the table.
env = times(ENVIRONMENT, False)
seen = {
    'host': [socket.gethostname(), os.uname(), text('/etc/hostname'), text('/etc/hosts'), text('/etc/resolv.conf')],
    'user': [os.getresuid(), os.getresgid(), os.getgroups(), text('/etc/passwd'), text('/etc/group')],
    'variables': dict(os.environ),
    'network': [sorted(name for _, name in socket.if_nameindex()), text('/proc/net/route'), text('/proc/net/if_inet6')],
    'mounts': [re.sub(r' (?:shared|master):\d+', '', line.split(' ', 3)[3]).rsplit(' ', 1)[0] for line in text('/proc/self/mountinfo').splitlines()],
    'file systems': [file_system(place) for place in (REPOSITORY, ENVIRONMENT, '/tmp', '/proc')],
    'memory': number_of('/proc/meminfo', 'MemTotal') + number_of('/proc/meminfo', 'SwapTotal'),
    'boot': [text('/proc/sys/kernel/random/boot_id'), text('/proc/version'), text('/proc/cmdline'), text('/proc/sys/kernel/hostname')],
    'session': session(),
    'scheduling': [os.sched_getscheduler(0), text('/proc/self/personality'), text('/proc/self/timerslack_ns')],
    'locale': [locale.setlocale(locale.LC_ALL, ''), locale.getpreferredencoding(), os.environ.get('TERM')],
    'git': [git('status', '--porcelain'), git('log', '--oneline'), git('stash', 'list'), git('config', '--list'), git('branch', '-a'), git('reflog')],
    'places': places(REPOSITORY),
    'modules': sorted(sys.modules),
    'finders': [str(one)[:60].split(' object at')[0].split(' at 0x')[0] for one in sys.meta_path + sys.path_hooks],
    'hooks': [atexit._ncallbacks(), threading.active_count(), sys.gettrace(), sys.getprofile()],
    'limits': [[name, resource.getrlimit(getattr(resource, name))] for name in dir(resource) if name.startswith('RLIMIT')],
    'room': [os.statvfs(place).f_blocks for place in ('/', '/tmp', '/dev/shm')],
    'processors': [os.cpu_count(), sorted(os.sched_getaffinity(0)), os.getpriority(os.PRIO_PROCESS, 0)],
    'folder': [os.getcwd(), oct(os.umask(0o22))],
    'input and output': [kind(number) for number in range(3)],
    'descriptors': sorted(os.readlink('/proc/self/fd/' + name) if os.path.lexists('/proc/self/fd/' + name) and not re.match(r'pipe:|socket:', os.readlink('/proc/self/fd/' + name)) else 'none' for name in os.listdir('/proc/self/fd')),
    'status': {name: status.get(name) for name in ('SigBlk', 'SigIgn', 'SigCgt', 'CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp', 'Seccomp_filters')},
    'groups of control': re.sub(r'[0-9a-f]{8,}|\d+', 'N', text('/proc/self/cgroup')),
    'parents': parents(),
    'processes': own_processes(),
    'repository': times(REPOSITORY),
    'environment': env,
    'top': sorted(os.listdir(ROOT)),
    'scratch': {place: sorted(os.listdir(place)) for place in SCRATCH if os.path.isdir(place)},
    'time': [time.tzname, time.timezone],
    'interpreter': [sys.flags, sys.path, sys.executable, sys.argv],
    'terminal': [sys.stdout.encoding, sys.getfilesystemencoding()],
}
print('DUMP ' + json.dumps(seen, default=str))
`;

/** Names by chance, which are new for each workspace: of the witness, of a container, of a local workspace. */
const CHANCE = [
  /(swemake-(?:program-|witness-)?)[0-9a-f]{16}/g,
  /(\/docker\/(?:containers\/)?)[0-9a-f]{64}/g,
  /("SWEMAKE_WORKSPACE": ")[0-9a-f]{16}/g,
];

const FILES: Files = { ...REPOSITORY, 'dump.py': DUMP };
const LIMITS = { memory: 1 << 30, pids: 128, disk: 1 << 28 };
const layer = systemLayer('pytest==8.3.5');
if (layer === null) process.stdout.write('skipped: grading needs pip and a package index\n');

type Seen = Record<string, unknown>;

/** What differs: name of what is seen -> the parts of both that are not equal. */
function differences(agent: Seen, grading: Seen): Record<string, unknown> {
  const names = Object.keys(agent).filter(
    (name) => JSON.stringify(agent[name]) !== JSON.stringify(grading[name]),
  );
  return Object.fromEntries(names.map((name) => [name, unlike(agent[name], grading[name])]));
}

function unlike(one: unknown, two: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(two)) {
    const texts = [one, two].map((list) => list.map((part) => JSON.stringify(part)));
    return [
      one.filter((_, at) => !texts[1]!.includes(texts[0]![at]!)),
      two.filter((_, at) => !texts[0]!.includes(texts[1]![at]!)),
    ];
  }
  if (typeof one === 'object' && typeof two === 'object' && one !== null && two !== null)
    return differences({ ...blank(two), ...one }, { ...blank(one), ...two });
  return [one, two];
}

const blank = (value: object): Seen => Object.fromEntries(Object.keys(value).map((name) => [name, null]));

const COMMAND = '/opt/env/bin/python dump.py /testbed /opt/env';

async function seenBoth({ deployment, environment, network }: Place): Promise<[Seen, Seen]> {
  const task = new GradedTask(deployment, environment, { files: FILES, test: COMMAND });
  task.setup.network = network;
  await task.validate();
  const state = await task.setup.state();
  if (!state.ok) throw new Error(JSON.stringify(state.fault));
  const options = { limits: LIMITS, network, storage: 'memory' } as const;
  const opened = await openOnState(state.value, environment, deployment, options);
  if (!opened.ok) throw new Error(opened.fault.detail);
  const handler = shellHandler(
    opened.value,
    { env: {}, cwd: '/testbed' },
    {
      submission: () => null,
    },
  );
  // As the patch of the gold run leaves it.
  await opened.value.write('/testbed/pkg/core.py', SOLUTION['pkg/core.py'] as string);
  const action = { arguments: { command: COMMAND } } as never;
  const ran = await handler.run(action, { seconds: 60, signal: new AbortController().signal });
  await opened.value.close();
  return [ran.ok ? ran.value.output : '', task.logs.join('\n')].map(seenIn) as [Seen, Seen];
}

function seenIn(output: string): Seen {
  const line = output.split('\n').findLast((one) => one.startsWith('DUMP '));
  if (line === undefined) throw new Error(output);
  const steady = CHANCE.reduce((text, pattern) => text.replaceAll(pattern, '$1MARK'), line.slice(5));
  return JSON.parse(steady) as Seen;
}

/** A place where workspaces are opened. */
interface Place {
  deployment: Deployment;
  environment: EnvironmentView;
  network: Network;
  cleanup(): Promise<void>;
}

async function sandbox(): Promise<Place> {
  return { ...(await makeSandbox({ name: 'as this user' })), environment: layer!, network: 'off' };
}

async function container(): Promise<Place> {
  const base = { layers: [debianRoot()], testbed: false, place: null };
  return { ...(await makeDocker()), environment: { ...layer!, base }, network: 'off' };
}

async function local(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'swemake-local-'));
  const deployment = await createLocal({ name: 'here', stateFolder: folder, runId: 'test' });
  const cleanup = async () => {
    await deployment.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { deployment, environment: layer!, network: 'host', cleanup };
}

/** A change in a folder, seen as the time of its last change. */
const time = [expect.any(Number)];

const KEYS = expect.stringMatching(/keys\.py swemake-keys-/);
const SHELL = expect.stringMatching(/^(\/bin\/)?bash -c exec 2>&1/);
const SCRATCH = { '/tmp': [[], ['.swemake-program-MARK', '.swemake-witness-MARK']] };

/** What differs, wherever it is. */
const EVERYWHERE = {
  parents: [[], ['bash']],
  session: [[], [false, false]],
  scratch: SCRATCH,
  repository: {
    ...{ pkg: [time, time], 'pkg/core.py': [time, time] },
    ...{ tests: [time, time], 'tests/test_core.py': [null, expect.any(Array)] },
  },
  git: [[' M pkg/core.py\n'], [' M pkg/core.py\n?? tests/test_core.py\n']],
  descriptors: [[], [expect.stringContaining('/.swemake-witness-MARK/record-0')]],
  finders: [[], [expect.stringContaining('.OwnRuns'), expect.stringContaining('._Finder')]],
  hooks: [[0], []],
  modules: [[], expect.arrayContaining(['unittest', 'unittest.case'])],
  environment: {
    'lib/python3.11/site-packages': [time, time],
    'lib/python3.11/site-packages/~swemake-MARK.pth': [null, expect.any(Array)],
  },
};
interface Row {
  kind: string;
  open: () => Promise<Place>;
  differs: Record<string, unknown>;
  /** Why it cannot be tested here; null: it can. */
  lacks: string | null;
}

const noPython = existsSync('/usr/bin/python3.11') ? null : 'the layer is not one of Debian’s Python 3.11';
const PLACES = { inodes: [[], ['tests/test_core.py']] };
const ROWS: Row[] = [
  {
    kind: 'sandbox',
    open: sandbox,
    differs: {
      processes: [[], [KEYS, SHELL]],
      places: { ...PLACES, own: [[], ['pkg/core.py', 'tests/test_core.py']] },
    },
    lacks: null,
  },
  {
    kind: 'docker',
    open: container,
    differs: { processes: [[], [KEYS, SHELL]], places: PLACES },
    lacks: noEngine ?? noPython,
  },
  { kind: 'local', open: local, differs: { processes: [[], [SHELL, KEYS]], places: PLACES }, lacks: null },
];
for (const { kind, lacks } of ROWS)
  if (lacks !== null) process.stdout.write(`skipped: equal workspaces, ${kind}: ${lacks}\n`);

describe.skipIf(layer === null)('an agent’s workspace and that of grading', () => {
  test.each(ROWS.filter(({ lacks }) => lacks === null))(
    'differ in nothing but the tests and what watches them: $kind',
    { timeout: 600_000 },
    async ({ open, differs }) => {
      const place = await open();
      try {
        const [agent, grading] = await seenBoth(place);
        expect(differences(agent, grading)).toEqual({ ...EVERYWHERE, ...differs });
      } finally {
        await place.cleanup();
      }
    },
  );
});
