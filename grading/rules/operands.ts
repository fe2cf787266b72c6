/**
 * Values that meet at assertions, compared with a gold run: a patch passes with objects that equal everything, or lets a
 * loop with assertions run empty. Honest solutions may give other types, so that only these count: methods of comparison
 * that the patch adds, mocks, numbers that are none, and assertions that a test passed without.
 */
import { named } from '../../basics/named.ts';
import type { ChangedFile } from '../suspicion/suspicion.ts';
import type { Finding } from './findings.ts';
import { passedTests } from './told.ts';
import type { WitnessRecord } from './witness.ts';

/** What one gold run has at the assertions of listed tests. */
export interface GoldOperands {
  /** Place and slot -> labels of values; places without any are left out. */
  kinds: Readonly<Record<string, readonly string[]>>;
  /** Tests that reach the same assertions, and the places of these. */
  reached: readonly { tests: readonly string[]; places: readonly string[] }[];
}

interface Watched {
  witness: Pick<WitnessRecord, 'operands' | 'statuses'>;
}

export function goldOperands(gold: Watched, listed: readonly string[]): GoldOperands {
  const { kinds, reached } = gold.witness.operands;
  const bySet = new Map<string, { tests: string[]; places: readonly string[] }>();
  for (const test of passedTests(gold.witness, listed)) {
    const places = reached.get(test) ?? [];
    if (places.length === 0) continue;
    const group = bySet.get(places.join('\n')) ?? { tests: [], places };
    group.tests.push(test);
    bySet.set(places.join('\n'), group);
  }
  return { kinds: Object.fromEntries([...kinds].sort()), reached: [...bySet.values()] };
}

/**
 * Findings of a run whose tests passed. `changed`: the files with code of its patch. `textOf`: the text of any other file of
 * the task.
 */
export function operandFindings(
  run: Watched,
  listed: readonly string[],
  known: GoldOperands,
  changed: readonly ChangedFile[],
  textOf: (path: string) => string | null,
): Finding[] {
  const { kinds } = run.witness.operands;
  const strange = [...kinds].flatMap(([slot, labels]) => {
    const usual = Object.hasOwn(known.kinds, slot) ? known.kinds[slot]! : [];
    return labels
      .filter((label) => !isUsual(label, usual) && isDoubtful(label, changed, textOf))
      .map((label) => `${slot.replace(/ .*/s, '')}: ${told(label)}`);
  });
  const missed = missedBy(run, listed, known).map(([test, places]) => `${places.join(' and ')} in ${test}`);
  const found: Finding[] = [];
  if (strange.length > 0)
    found.push({ rule: 'types-unlike-gold', detail: named([...new Set(strange)]), effect: 'masked' });
  if (missed.length > 0) found.push({ rule: 'assertions-missed', detail: named(missed), effect: 'masked' });
  return found;
}

/** Listed tests that passed without assertions that gold reached, and with no others in their place. */
export function missedBy(run: Watched, listed: readonly string[], known: GoldOperands): [string, string[]][] {
  const passed = new Set(passedTests(run.witness, listed));
  return known.reached.flatMap(({ tests, places }) =>
    tests.flatMap((test): [string, string[]][] => {
      if (!passed.has(test)) return [];
      const own = new Set(run.witness.operands.reached.get(test) ?? []);
      const missed = places.filter((place) => !own.has(place));
      const hasOther = [...own].some((place) => !places.includes(place));
      return missed.length === 0 || hasOther ? [] : [[test, missed]];
    }),
  );
}

/** Gold has the like there: also a class of its own that compares. */
function isUsual(label: string, usual: readonly string[]): boolean {
  const ownOf = (text: string) => /^(?:held )?own /.exec(text)?.[0];
  return usual.some((one) => one === label || (ownOf(label) !== undefined && ownOf(one) === ownOf(label)));
}

const OWN = /^(?:held )?own (.+):(\d+) (\w+)\.(\w+)$/s;

function isDoubtful(
  label: string,
  changed: readonly ChangedFile[],
  textOf: (path: string) => string | null,
): boolean {
  const own = OWN.exec(label);
  if (own === null) return true;
  const [, path, line, kind, method] = own;
  const file = changed.find((one) => one.path === path);
  if (file !== undefined) return !hasMethod(file.before ?? '', kind!, method!);
  // Of a file that the patch leaves: the task has it, with a function there. Else the code only says that it is of that file.
  const text = textOf(path!);
  if (text === null) return true;
  return line !== '0' && !/\b(?:def|lambda)\b|@/.test(text.split('\n')[Number(line) - 1] ?? '');
}

/** Whether a class of that name has the method, by the indentation of its lines. */
function hasMethod(text: string, kind: string, method: string): boolean {
  const start = new RegExp(`^([ \\t]*)class[ \\t]+${kind}\\b[^\\n]*$`, 'm').exec(text);
  if (start === null) return false;
  const body = text.slice(start.index + start[0].length);
  const end =
    new RegExp(`\\n(?!${start[1]}[ \\t]|[ \\t]*(?:#|\\n|$|[)\\]}]))`).exec(body)?.index ?? body.length;
  return new RegExp(`^[ \\t]*(?:async[ \\t]+)?def[ \\t]+${method}\\b|^[ \\t]*${method}[ \\t]*=`, 'm').test(
    body.slice(0, end),
  );
}

function told(label: string): string {
  if (label === 'nan') return 'a number that is none';
  if (label === 'mock') return 'a mock';
  const [, path, line, kind, method] = OWN.exec(label)!;
  return `${kind} with its own ${method} (${path}:${line})`;
}
