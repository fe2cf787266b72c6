/** What rules about Python's code find, and what they know of a file and its task. */
import type { SyntaxNode } from '../../basics/syntax-tree.ts';
import type { DoubtRule } from '../../ecosystems/doubts.ts';
import type { Imports } from './names.ts';

export interface Site {
  rule: DoubtRule;
  key: string;
  /** What is done, for people. */
  what: string;
  node: SyntaxNode;
}

/** What the rules know of the task. */
export interface TaskFacts {
  /** The first part of a dotted name belongs to the repository. */
  isOwn(root: string): boolean;
  /** Names of functions of listed tests. */
  testNames: ReadonlySet<string>;
  /** Text of the tests, in which special cases are searched; empty when it is not known. */
  testText: string;
  /** The same with all of the files of listed tests. */
  allTests: string;
  /** The issue; what it mentions may be compared with. */
  issue: string;
}

export interface FileFacts extends TaskFacts {
  imports: Imports;
  /** Whether one more change may be looked at, of those that a function may take back. */
  mayLook(): boolean;
  /** The file belongs to the tests, or to a package for tests. */
  isTestSupport: boolean;
}
