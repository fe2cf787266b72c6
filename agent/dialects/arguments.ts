/**
 * Arguments of tool calls: text in a reply, and an object on the wire of some dialects. Text that is no JSON object is
 * the model's mistake; it reaches the agent as the one member of an object, which the agent's tools refuse, and comes
 * back as the same text.
 */
import { type Fields, isFields, parsedJson } from '../../basics/json.ts';

const MALFORMED = 'malformed_arguments';

export function asObject(text: string): Fields {
  const parsed = text.trim() === '' ? {} : parsedJson(text);
  return isFields(parsed) ? parsed : { [MALFORMED]: text };
}

export function asText(given: Fields): string {
  const keys = Object.keys(given);
  const malformed = given[MALFORMED];
  return keys.length === 1 && typeof malformed === 'string' ? malformed : JSON.stringify(given);
}

/** The text of a tool that takes free text in place of arguments; null: the arguments do not have that form. */
export function freeText(text: string): string | null {
  const parsed = parsedJson(text);
  return isFields(parsed) && Object.keys(parsed).length === 1 && typeof parsed.input === 'string'
    ? parsed.input
    : null;
}

/** What a tool that takes free text looks like as a function. */
export const FREE_TEXT = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The text that the tool takes, as it is.' } },
  required: ['input'],
};
