/** What an installed agent consists of, as the stage notes it and a lock file has it. */
import { type Infra, infra } from '../../schemas/outcome.ts';

/** Prints the lock file of npm's packages, and of Python's each with its version and a digest over the list of its files. */
export const LIST = [
  'if [ -e /opt/agent/package-lock.json ]; then cat /opt/agent/package-lock.json; fi',
  `if [ -e /opt/agent/venv ]; then /opt/agent/venv/bin/python -I -c "
import hashlib, importlib.metadata as m
for d in m.distributions():
    files = hashlib.sha256((d.read_text('RECORD') or '').encode()).hexdigest()
    print(d.metadata['Name'] + '==' + d.version + ' sha256:' + files)
" | sort; fi`,
].join('\n');

interface NpmLock {
  packages?: Record<string, { version?: string; integrity?: string }>;
}

/** A line for each package, sorted. */
export function packagesOf(listed: string): string[] {
  const end = listed.startsWith('{') ? listed.indexOf('\n}\n') + 3 : 0;
  const npm = end === 0 ? {} : ((JSON.parse(listed.slice(0, end)) as NpmLock).packages ?? {});
  const ofNpm = Object.entries(npm).flatMap(([place, { version, integrity }]) =>
    place === '' ? [] : [[`${place.replace(/^node_modules\//, '')}@${version}`, integrity].join(' ').trim()],
  );
  const ofPython = listed
    .slice(end)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return [...ofNpm, ...ofPython].sort();
}

/** A fault where an agent does not hold what the lock file says; null: it does. */
export function agentDrift(locked: readonly string[] | null, listed: string): Infra | null {
  if (locked === null) return null;
  const now = packagesOf(listed);
  const gone = locked.filter((line) => !now.includes(line)).map((line) => `- ${line}`);
  const come = now.filter((line) => !locked.includes(line)).map((line) => `+ ${line}`);
  if (gone.length + come.length === 0) return null;
  const shown = [...gone, ...come].slice(0, SHOWN).join(', ');
  return infra('lock-drift', `its packages are not those of the lock file: ${shown}`);
}

/** Packages that are shown: an agent may have hundreds. */
const SHOWN = 20;
