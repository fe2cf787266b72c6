/** What of a rehearsal contradicts the project. */
export interface Finding {
  /** Below `trainer.rl`, or from the top where it begins with `agent`, `evaluation` or `trainer`. */
  key: string;
  message: string;
  remedy: string;
}
