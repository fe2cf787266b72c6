/** Calls that are JSON objects with a name and arguments, in several formats. */

import { isFields, parsedJson } from '../../../basics/json.ts';
import { fault, type Result, success } from '../../../basics/result.ts';
import { membersOf } from './cursor.ts';
import type { Call } from './format.ts';

/** `json`: sound JSON; null: there is none. `members`: names under which arguments stand. */
export function jsonCall(json: string | null, members: readonly string[]): Result<Call, string> {
  const call = json === null ? undefined : parsedJson(json);
  if (json === null || !isFields(call)) return fault('A tool call is no complete JSON object.');
  const { name, id } = call;
  if (typeof name !== 'string' || name === '') return fault('A tool call has no name.');
  const member = members.find((each) => call[each] !== undefined);
  const given = member === undefined ? undefined : membersOf(json).get(member);
  return namedCall(name, given, typeof id === 'string' ? id : undefined);
}

/** `given`: the arguments as they are written. */
export function namedCall(name: string, given: string | null | undefined, id?: string): Result<Call, string> {
  if (typeof given !== 'string' || !isFields(parsedJson(given)))
    return fault(`The arguments of the call of ${name} are no JSON object.`);
  return success({ name, arguments: given, ...(id === undefined ? {} : { id }) });
}
