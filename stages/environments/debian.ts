/**
 * Which Debian packages this machine has. Workspaces see the machine's /usr, but not dpkg's own files. So this is
 * checked here, before anything is built.
 */
import { readFile } from 'node:fs/promises';
import { whenAbsent } from '../../basics/absent.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';

const STATUS = '/var/lib/dpkg/status';

/**
 * A fault that names the missing ones of `names`, or null. A package may also be there under a name that it provides.
 */
export async function missingPackages(names: readonly string[], status = STATUS): Promise<Infra | null> {
  if (names.length === 0) return null;
  const text = await readFile(status, 'utf8').catch(whenAbsent(null));
  if (text === null)
    return infra(
      'tool-missing',
      `recipe key system: this machine has no dpkg, so it cannot be told whether it has ${names.join(', ')}; remove the key where they are there`,
    );
  const there = installed(text);
  const missing = names.filter((name) => !there.has(name));
  if (missing.length === 0) return null;
  const list = missing.join(' ');
  return infra('tool-missing', `recipe key system: this machine lacks ${list}; apt-get install ${list}`);
}

/** Names of installed packages in dpkg's status file, and the names that they provide. */
function installed(status: string): Set<string> {
  const names = new Set<string>();
  for (const entry of status.split('\n\n')) {
    if (!/^Status: \S+ \S+ installed$/m.test(entry)) continue;
    const name = /^Package: (\S+)$/m.exec(entry)?.[1];
    const provides = /^Provides: (.+)$/m.exec(entry)?.[1] ?? '';
    for (const one of [name ?? '', ...provides.split(',')]) names.add(one.replace(/\(.*/, '').trim());
  }
  return names;
}
