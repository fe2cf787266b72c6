/** Logs and events, as tests of parsers write and read them. */
import { findParser } from '../../parsers/registry.ts';

export function read(parser: string, log: string): Record<string, string> {
  return Object.fromEntries(findParser(parser)!.parse(log));
}

/** A reporter's events, or any objects, as JSON lines. */
export function jsonLines(...events: object[]): string {
  return `${events.map((event) => JSON.stringify(event)).join('\n')}\n`;
}
