/**
 * Findings of the integrity checks, with the names that reports and pages use. A finding says what was done about it.
 * Only `voided` and `masked` remove a reward that the tests would have given.
 */
import { named } from '../../basics/named.ts';

const INTEGRITY_RULES = [
  /** The patch changes or removes tests; they are restored. */
  'tests-edited',
  /** The patch changes what tests hand to programs or to the code under test. */
  'tests-input',
  /** The patch adds a program or a module whose name programs or Python know. */
  'known-name',
  /** The examples of a listed doctest are not those of the gold runs. */
  'doctest-edited',
  /** At an assertion of a listed test the patch has values of a kind that the gold runs have not. */
  'types-unlike-gold',
  /** A listed test passed without assertions that it reached in the gold runs. */
  'assertions-missed',
  /** The patch changes what configures or starts the test runner; it is restored. */
  'runner-config',
  /** The patch adds compiled code that would run instead of its source; it is removed. */
  'bytecode',
  /** The patch changes files that the project protects; they are restored. */
  'protected-file',
  /** The patch is larger than grading.max_patch. */
  'patch-too-large',
  /** The patch contains text that looks like a diff and cannot be read as one. */
  'patch-unreadable',
  /**
   * The patch makes symbolic links out of the repository or to files that decide the tests, or names files behind
   * one.
   */
  'patch-links',
  /** The patch names files outside of the repository, or in .git. */
  'patch-escapes',
  /** The markers around the tests' output occur more than once. */
  'markers-forged',
  /** The runner did not end by itself. */
  'runner-ended-early',
  /** The runner's code, plugins or options differ from those of the gold runs. */
  'runner-modified',
  /** The output calls a listed test passed, and the runner's own reports do not. */
  'witness-disagrees',
  /** A test that must fail did not, or one that must pass did not run: both are added to the tests of each run. */
  'canaries-disagree',
  /** The output names more passed tests than the runner counted, or fewer failed ones. */
  'counts-disagree',
  /** Lines like the runner's appear where the runner writes none. */
  'lines-forged',
  /** The command's exit code is not the runner's. */
  'exit-code-disagrees',
  /** A listed test neither passed nor failed, unlike in the gold runs. */
  'status-unlike-gold',
  /** Listed tests are missing though the gold runs report them and nothing failed. */
  'tests-missing',
  /** Files of the tests, of their configuration or of the runner were written while the tests ran. */
  'files-changed-during-tests',
  /** Code asks to be called for each line or call, unlike in the gold runs. */
  'runner-traced',
  /** Assertions failed in listed tests that passed, unlike in the gold runs. */
  'failures-swallowed',
  /** The patch passes, and its code does what a solution hardly ever does. */
  'doubtful-code',
  /** A mutation that the tests caught in the gold patch's code is in the patch's code, too, and no test notices it. */
  'mutant-survives',
  /** The patch passes only with its own version of settings of the tests, which the gold patch changes otherwise. */
  'settings-unlike-gold',
] as const;
export type IntegrityRule = (typeof INTEGRITY_RULES)[number];

/**
 * dropped: the files were not changed, and the rest of the patch was graded. refused: nothing was run. voided: the
 * run has no reward. excused: the task's own gold patch does the same, so the finding has no effect. relaxed: the
 * preset's rules ignore it. masked: the run has neither a reward nor none. noted: it is only told.
 */
export type Effect = 'dropped' | 'refused' | 'voided' | 'excused' | 'relaxed' | 'masked' | 'noted';

export interface Finding {
  rule: IntegrityRule;
  detail: string;
  effect: Effect;
}

/** Doubtful findings as the project treats them. */
export type Suspicion = 'mask' | 'note' | 'off';

/** Findings that mask a reward are only noted, or left out, where the project says so. */
export function bySuspicion(findings: readonly Finding[], suspicion: Suspicion): Finding[] {
  if (suspicion === 'mask') return [...findings];
  if (suspicion === 'off') return findings.filter(({ effect }) => effect !== 'masked');
  return findings.map((finding) => (finding.effect === 'masked' ? { ...finding, effect: 'noted' } : finding));
}

/** Findings about a run that has no reward whatever they say: they take none away, and are only told. */
export function ofUnresolved(findings: readonly Finding[]): Finding[] {
  return findings.map((finding) =>
    finding.effect === 'voided' || finding.effect === 'masked' ? { ...finding, effect: 'noted' } : finding,
  );
}

/** Findings about the patch alone, which gold runs do not lift. */
const OF_PATCH: readonly IntegrityRule[] = [
  'tests-input',
  'known-name',
  'doubtful-code',
  'settings-unlike-gold',
];

/** Whether gold runs may show findings about a patch that passes to be the task's own. */
export function mayBeTaskOwn(findings: readonly Finding[]): boolean {
  return findings.some(
    ({ rule, effect }) => ['voided', 'masked', 'noted'].includes(effect) && !OF_PATCH.includes(rule),
  );
}

/** Whether findings that could mask a reward were noted, so that the reward stands and has doubts. */
export function isDoubted(findings: readonly Pick<Finding, 'effect'>[]): boolean {
  return findings.some(({ effect }) => effect === 'noted');
}

/** A finding about all of `names`, with `what` before them; none if there are no names. */
export function findingAbout(
  rule: IntegrityRule,
  effect: Effect,
  names: readonly string[],
  what = '',
): Finding[] {
  return names.length === 0 ? [] : [{ rule, detail: `${what}${named(names)}`, effect }];
}

export function voided(rule: IntegrityRule, detail: string): Finding {
  return { rule, detail, effect: 'voided' };
}
