/** Opens files until it may open no more, and prints what each look says then: its answer, or the code of its error. */
import { openSync } from 'node:fs';
import { namesIn } from '../../basics/folder.ts';
import { identityOf, isAlive, thisProcess } from '../../basics/process-identity.ts';
import { readableText } from '../../basics/readable.ts';
import { discardDamaged } from '../../tasks/python/whole-folder.ts';

const [tool = ''] = process.argv.slice(2);
const LOOKS: Record<string, () => unknown> = {
  'a process that runs': () => isAlive(identityOf(process.ppid)),
  'a file of the system': () => readableText('/proc/self/status') !== '',
  'names in a folder': () => namesIn('/proc').length > 0,
  'a tool that is whole': () => discardDamaged(tool),
};

const before = await said();
thisProcess();
try {
  for (;;) openSync('/dev/null', 'r');
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error;
}
process.stdout.write(JSON.stringify({ before, after: await said() }));

async function said(): Promise<Record<string, unknown>> {
  const entries = Object.entries(LOOKS).map(async ([name, look]) => {
    try {
      return [name, await look()] as const;
    } catch (error) {
      return [name, (error as NodeJS.ErrnoException).code] as const;
    }
  });
  return Object.fromEntries(await Promise.all(entries));
}
