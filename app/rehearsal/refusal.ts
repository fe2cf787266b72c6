/** What a command gets in place of a rehearsal that cannot be made. */
import { fault, type Result } from '../../basics/result.ts';

/** Why there can be no rehearsal. */
export interface NoRehearsal {
  key: string;
  message: string;
  remedy: string;
  /** 2: the project; 3: the machine. */
  code: 2 | 3;
}

export function no(key: string, message: string, remedy: string, code: 2 | 3): Result<never, NoRehearsal> {
  return fault({ key, message, remedy, code });
}
