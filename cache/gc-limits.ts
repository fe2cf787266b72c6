/** What gc is asked to keep, and what it finds that may go. */

export interface GcLimits {
  /** Bytes. */
  maxSize: number | null;
  /** Milliseconds. */
  maxAge: number | null;
  /** Newest runs whose answers and journals stay. */
  keepRuns: number | null;
  /** Answers that are failures go, whatever their age. */
  failed: boolean;
  /** What finished trainings left beside their checkpoints goes. */
  trainings?: boolean;
}

/** A file or folder that may go. */
export interface Loose {
  path: string;
  bytes: number;
}
