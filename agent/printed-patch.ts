/**
 * Protocols in which the agent writes its patch to a file and prints it after the marker, as in mini-swe-agent's
 * configuration for SWE-bench. Then the printed patch is the answer, with only the files that the agent chose. The
 * text for the agent says which protocol is used.
 */
import { posix } from 'node:path';
import { placeSections } from '../patches/place.ts';
import { readPatch } from '../patches/read.ts';
import { namesOf, touchedFile, touchedFiles } from '../patches/touched.ts';
import { writePatch } from '../patches/write.ts';
import type { FinalPatch } from './finish.ts';
import type { PrintedPatch } from './settings.ts';
import { isPatch, MARKER } from './submission.ts';

/** A marker followed by a command that prints a file or a diff. */
const PRINTING = new RegExp(
  `${MARKER}["']?[^\\S\\n]*(?:&&|;)[^\\n]*?\\b(?:cat[^\\S\\n]+["']?([^\\s"'\`;&|<>)]+)|git\\b[^\\n]*\\bdiff\\b)`,
);

/** What the prompt asks the agent to print; null: nothing, so the answer is the diff of the repository. */
export function printedPatch(instance: string, cwd: string): PrintedPatch | null {
  const found = PRINTING.exec(instance);
  if (found === null) return null;
  const path = found[1] === undefined ? '..' : posix.relative('/testbed', posix.resolve(cwd, found[1]));
  return { file: path.startsWith('..') ? null : path };
}

/**
 * The patch of a rollout in such a protocol. If printing changed bytes, the content is taken from the workspace, for
 * the files in the printed patch. If the agent printed no patch, it is the diff of the repository without the file
 * that it was told to write.
 */
export function patchAsPrinted(
  taken: FinalPatch,
  printed: PrintedPatch | undefined,
  submission: string | null,
): FinalPatch {
  if (printed === undefined) return taken;
  const handedIn = submission !== null && isPatch(submission) ? submission : null;
  if (handedIn !== null && !handedIn.includes('\ufffd'))
    return { ...taken, patch: handedIn, source: 'submission' };
  if (taken.source !== 'workspace') return taken;
  const named = handedIn === null ? null : new Set(touchedFiles(handedIn).flatMap(namesOf));
  const { files } = placeSections(readPatch(taken.patch).sections, null);
  const wanted = files.filter((file) => {
    const { path, change } = touchedFile(file);
    return named?.has(path) ?? !(change === 'added' && path === printed.file);
  });
  const patch = writePatch(wanted);
  return { ...taken, patch, source: patch === '' ? 'none' : 'workspace' };
}
