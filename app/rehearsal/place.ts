/** The place in the YAML of what a rehearsal found. */
import { resolve } from 'node:path';
import { readableText } from '../../basics/readable.ts';
import type { Diagnostic } from '../../compiler/diagnostic.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import { maskTokens } from '../../compiler/tokens.ts';
import type { Finding } from './finding.ts';

/** At the key, or at the nearest key above it that is written. */
export function diagnosticOf(
  { key, message, remedy }: Finding,
  project: ResolvedProject,
  cwd: string,
): Diagnostic {
  const path = /^(agent|evaluation|trainer)\b/.test(key) ? key : `trainer.rl.${key}`;
  const place = placeOf(path, project) ?? { file: project.file, line: 1, column: 1 };
  const text = lineAt(resolve(cwd, place.file), place.line);
  return {
    ...{ code: 'E007', severity: 'error', message: maskTokens(message), remedy, ...place },
    length: Math.max(1, text.length - place.column + 1),
    text: maskTokens(text),
  };
}

function placeOf(path: string, { origins }: ResolvedProject) {
  const parts = path.split('.');
  for (let count = parts.length; count > 0; count -= 1) {
    const prefix = parts.slice(0, count).join('.');
    for (const [leaf, origin] of origins)
      if (
        origin.kind === 'file' &&
        (leaf === prefix || leaf.startsWith(`${prefix}.`) || leaf.startsWith(`${prefix}[`))
      ) {
        const { file, line, column } = origin;
        return { file, line, column };
      }
  }
  return null;
}

function lineAt(file: string, line: number): string {
  return readableText(file).split(/\r?\n/)[line - 1] ?? '';
}
