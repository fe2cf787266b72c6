/**
 * One task row, normalised. Field names are those of the SWE-bench family, so a row can go back to any tool;
 * what differs between the formats (lists as JSON text, the patch's direction) is decided here once.
 */
import type { PartialRecipe } from './recipe.ts';

/** The tests of a row that decide. */
export interface TestLists {
  FAIL_TO_PASS: string[];
  PASS_TO_PASS: string[];
}

/** Both lists, in their order. */
export function listedTests({ FAIL_TO_PASS, PASS_TO_PASS }: TestLists): string[] {
  return [...FAIL_TO_PASS, ...PASS_TO_PASS];
}

export interface Instance extends TestLists {
  instance_id: string;
  /** "owner/name", or the mirror's name for swe-smith. */
  repo: string;
  /** Pinned source of the code at the instance's base commit, see stages/source. */
  source: PinnedSource;
  /** Pinned source of the code that dependencies are built from; equal to `source` but for swe-bench kinds. */
  environment_source: PinnedSource;
  /** Groups instances that share an environment: swe-smith's image_name, else repo@version or repo@commit. */
  environment_name: string;
  version: string | null;
  /** Unified diff. `patch_role` says what it does. */
  patch: string;
  /** fix: applying it solves the task. bug: applying it makes the task, its reverse solves it. */
  patch_role: 'fix' | 'bug';
  /** Unified diff that adds the hidden tests; empty when the source already holds them. */
  test_patch: string;
  /** Files that a command of pytest is given; absent: those of `test_patch` that SWE-bench gives it. */
  test_files?: string[];
  /** The source holds the listed tests, though there is a `test_patch`, which brings others. */
  tests_in_source?: true;
  problem_statement: string;
  hints_text: string;
  /** What the row itself says about its environment and tests. */
  recipe: PartialRecipe;
  /** The row as it was read, for export. */
  raw: Record<string, unknown>;
}

/** Source code named by content: `spec` says where to get it, `digest` what it must be. */
export interface PinnedSource {
  /** Such as `pypi:NAME==VERSION`, `go:MODULE@VERSION`, `git+URL@COMMIT`, `archive:URL-or-path`, see tasks/source/spec.ts; paths are relative to the project file. */
  spec: string;
  /** `sha256:<hex>` of an archive, or `git:<40 hex>` of a commit. */
  digest: string;
}

/** A row that could not be normalised; the others go on. */
export interface BadRow {
  /** 1-based line of a JSONL file, else 1-based row number; 0: it was read, and left out by its id. */
  line: number;
  instance_id: string | null;
  /** Empty when the row as a whole is wrong. */
  field: string;
  message: string;
}

/** `line 3: repo: is missing`. */
export function badRowText({ line, instance_id, field, message }: BadRow): string {
  return `${line === 0 && instance_id !== null ? instance_id : `line ${line}`}: ${field === '' ? '' : `${field}: `}${message}`;
}
