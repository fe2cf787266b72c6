/** What an installed agent consists of, as the stage notes it and a lock file has it. */
import type { AgentPins } from '../../contract/pins.ts';
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

export interface NpmLock {
  /** By place; '' is what was asked for. */
  packages?: Record<string, { version?: string; integrity?: string; dependencies?: Record<string, string> }>;
}

/** The list with what the program's source is: a package holds only a part of its files. */
export function withSource(listed: string, digest: string): string {
  return `${listed}source ${digest}\n`;
}

/** The two parts of the list. */
function parted(listed: string): { npm: string; python: string } {
  const end = listed.startsWith('{') ? listed.indexOf('\n}\n') + 3 : 0;
  return { npm: listed.slice(0, end), python: listed.slice(end) };
}

/** What was installed, as a lock file holds it. `packages`: a line for each, sorted. */
export function lockedPackages(listed: string): { packages: string[]; npm_lock?: string[] } {
  const { npm, python } = parted(listed);
  const places = npm === '' ? {} : ((JSON.parse(npm) as NpmLock).packages ?? {});
  const ofNpm = Object.entries(places).flatMap(([place, { version, integrity }]) =>
    place === '' ? [] : [[`${place.replace(/^node_modules\//, '')}@${version}`, integrity].join(' ').trim()],
  );
  const ofPython = python.split('\n').filter((line) => line.trim() !== '');
  return {
    packages: [...ofNpm, ...ofPython].sort(),
    ...(npm !== '' && { npm_lock: npm.trimEnd().split('\n') }),
  };
}

/** A fault where an agent does not hold what the lock file says; null: it does. */
export function agentDrift(pins: AgentPins | null, listed: string): Infra | null {
  if (pins === null) return null;
  const { packages: locked } = pins;
  const { packages: now } = lockedPackages(listed);
  const gone = locked.filter((line) => !now.includes(line)).map((line) => `- ${line}`);
  const come = now.filter((line) => !locked.includes(line)).map((line) => `+ ${line}`);
  if (gone.length + come.length === 0) return null;
  const shown = [...gone, ...come].slice(0, SHOWN).join(', ');
  return infra('lock-drift', `its packages are not those of the lock file: ${shown}; ${LOCK_AGAIN}`);
}

export const LOCK_AGAIN = 'to go on with what there is now: swemake lock';

/** Packages that are shown: an agent may have hundreds. */
const SHOWN = 20;
