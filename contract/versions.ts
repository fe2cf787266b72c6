/**
 * Why versions of stages were raised, for people whose answers are made again. The ledger has the sentences
 * (scripts/ledger.mjs); it is read when somebody asks.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../basics/package-root.ts';

/** A change of a stage's version in words, as plans and explanations have it. */
export function versionChange(stage: string, before: number, now: number): string {
  return `swemake changed: ${stage} ${before} → ${now}`;
}

/** What the words of `versionChange` say, where a text begins with them. */
export function versionChangeIn(text: string): { text: string; reasons: string[] } | null {
  const found = /^swemake changed: (\S+) (\d+) → (\d+)/.exec(text);
  if (found === null) return null;
  return { text: found[0], reasons: versionReasons(found[1]!, Number(found[2]), Number(found[3])) };
}

/** What is different since version `before`, a sentence each; empty where the ledger is younger, or for a step back. */
export function versionReasons(stage: string, before: number, now: number, text = ledger()): string[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{"unit":')) return [];
    const { unit, version, reason } = JSON.parse(line) as { unit: string; version: number; reason: string };
    return unit === stage && version > before && version <= now ? [reason] : [];
  });
}

function ledger(): string {
  return readFileSync(join(packageRoot(), 'stages/ledger.jsonl'), 'utf8');
}
