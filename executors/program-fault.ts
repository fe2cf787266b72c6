/** The fault of an item when a program of this machine failed: it is never an answer. */
import { complaintOf, type ProgramEnd } from '../basics/program.ts';
import { type Infra, type InfraReason, infra } from '../schemas/outcome.ts';

const NO_ROOM = /No space left on device|Disk quota exceeded/i;
const NETWORK =
  /could not resolve|temporary failure in name resolution|connection|timed? ?out|toomanyrequests|unreachable|Failed to fetch|early EOF|\bEOF\b|RPC failed|unable to access|unexpected disconnect|hung up/i;

export interface ProgramWork {
  /** The start of the message: the program, or its purpose. */
  doing: string;
  /** The remedy when there is no such program. */
  remedy: string;
  /** The reason when its error message shows none. */
  otherwise: InfraReason;
  /** Removes secrets from its error message. */
  cleaned?: (text: string) => string;
}

/** The fault of a program that did not end with 0. */
export function programFault(end: ProgramEnd, work: ProgramWork): Infra {
  const { doing, remedy, otherwise, cleaned = (text) => text } = work;
  const detail = `${doing}: ${cleaned(complaintOf(end)).slice(0, 400)}`;
  switch (end.kind) {
    case 'cancelled':
      return infra('cancelled', `${doing}: cancelled`);
    case 'missing':
      return infra('tool-missing', `${detail}; ${remedy}`);
    case 'refused':
      return infra('helper', detail);
    case 'killed':
      return infra('killed', detail);
    case 'timeout':
      return infra(otherwise, detail);
    case 'exited': {
      if (NO_ROOM.test(end.output)) return infra('disk-full', detail);
      return infra(NETWORK.test(end.output) ? 'network' : otherwise, detail);
    }
  }
}
