/** Where crates come from on this machine: the index that Cargo's configuration puts in place of crates.io. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { whenAbsent } from '../../../basics/absent.ts';

const DEFAULT_INDEX = 'https://index.crates.io';

export interface CargoSettings {
  /** Of a sparse index, without a slash at the end. */
  index: string;
  /** A file with certificates; undefined: none is named. */
  cainfo: string | undefined;
}

/** Only sparse indexes count: one in git cannot be seen as of a day. */
export function cargoSettings(env: NodeJS.ProcessEnv): CargoSettings {
  const home = env.CARGO_HOME || join(env.HOME ?? homedir(), '.cargo');
  const tables = parseTables(textOf(join(home, 'config.toml')) || textOf(join(home, 'config')));
  const cainfo = env.CARGO_HTTP_CAINFO || tables.get('http')?.get('cainfo');
  let source = 'crates-io';
  // Sources may replace each other in a circle.
  for (let at = 0; at < 10; at++) {
    const next = tables.get(`source.${source}`)?.get('replace-with');
    if (next === undefined) break;
    source = next;
  }
  const registry =
    tables.get(`source.${source}`)?.get('registry') ?? tables.get(`registries.${source}`)?.get('index');
  const sparse = /^sparse\+(https?:\/\/.*?)\/*$/.exec(registry ?? '')?.[1];
  return { index: sparse ?? DEFAULT_INDEX, cainfo };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return whenAbsent('')(error);
  }
}

/** TOML as far as this needs it: `[table]` and `key = "text"`. */
function parseTables(text: string): Map<string, Map<string, string>> {
  const tables = new Map<string, Map<string, string>>();
  let table = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const name = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line)?.[1]?.replaceAll(/["'\s]/g, '');
    const [, key, value] = /^\s*"?([\w.-]+)"?\s*=\s*["'](.*?)["']\s*(?:#.*)?$/.exec(line) ?? [];
    if (name !== undefined) {
      table = tables.get(name) ?? new Map<string, string>();
      tables.set(name, table);
    } else if (key !== undefined) table.set(key, value!);
  }
  return tables;
}
