/** One change of the code of a source tree, as rows name it, and its patch. */

/** Names one mutation of a source tree: the `index`th (from 0) of its kind in that function, by position. */
export interface Mutation {
  /** Path in the tree. */
  file: string;
  /** Qualified name such as `Class.method`; `<module>` outside of functions and classes. */
  function: string;
  kind: string;
  index: number;
}

/** A mutation that a tree offers. */
export interface Candidate extends Mutation {
  line: number;
}

/** Answer to one request: a unified diff that introduces the bug, or why there is none. */
export type PatchAnswer = { patch: string } | { error: string };
