/**
 * What was asked for and not found: a question that can be asked again. A server may get a commit or a release tomorrow, so
 * the answer "it is not there" is kept with what was asked of whom, and when.
 */

/** What was sought, and where. Every kind has its way of asking in app/ask-again.ts. */
export type Sought =
  /** A commit, tag or branch of a repository. */
  | { kind: 'git'; url: string; ref: string }
  /** A file behind an address. */
  | { kind: 'url'; url: string }
  /** The source distribution of a version on the indexes of this machine. */
  | { kind: 'sdist'; project: string; version: string }
  /** A project, or a version of it, on the index that builds see; `asOf` as in recipes. */
  | { kind: 'release'; project: string; version: string | null; asOf: string | null }
  /** A package, or a version of it, of a registry that builds see; `dialect` as in tasks/index/registry.ts. */
  | { kind: 'package'; dialect: string; name: string; version: string | null; asOf: string | null }
  /** A file or revision of the hub. */
  | { kind: 'hub'; url: string };

export interface Absence {
  sought: Sought;
  /** What the answer was: ABSENT, or the digest of what was there in its place. */
  answer: string;
  /** When it was asked, milliseconds since 1970. */
  asked: number;
  /** How many rows of a dataset rest on it; absent: the item. */
  rows?: number;
}

/** The answer of who does not have it. */
export const ABSENT = 'absent';

/** An absence that was found just now. */
export function absenceOf(sought: Sought, answer: string = ABSENT): Absence {
  return { sought, answer, asked: Date.now() };
}
