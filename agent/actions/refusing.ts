/** Formats of actions that refuse some of what they could read. */
import { fault } from '../../basics/result.ts';
import { type Action, type ActionFormat, commandOf } from './action.ts';

/** The same format, but a reply is malformed if `reasonAgainst` gives a reason not to run one of its actions, or if no program could take it. */
export function refusing(
  format: ActionFormat,
  reasonAgainst: (action: Action) => string | null = () => null,
): ActionFormat {
  return {
    ...format,
    parse: (reply) => {
      const parsed = format.parse(reply);
      if (!parsed.ok) return parsed;
      const reasons = [nulReason, reasonAgainst].flatMap((ask) => parsed.value.map(ask));
      const reason = reasons.find((each) => each !== null) ?? null;
      return reason === null ? parsed : fault({ error: reason, actions: parsed.value.map(commandOf) });
    },
  };
}

/** No argument of a program can contain a NUL character. */
function nulReason({ arguments: given }: Action): string | null {
  const holds = Object.values(given).some((value) => typeof value === 'string' && value.includes('\0'));
  return holds ? 'An action cannot hold a NUL character.' : null;
}
