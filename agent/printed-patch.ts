/**
 * Protocols in which the agent writes its patch into a file and prints that behind the marker, as mini-swe-agent's for
 * SWE-bench: then what it prints is its answer, with the files that it chose and no others. Which protocol holds is
 * read from the text that the agent is given.
 */
import { posix } from 'node:path';
import { placeSections } from '../grading/patch-place.ts';
import { readPatch } from '../grading/patch-read.ts';
import { writePatch } from '../grading/patch-write.ts';
import { namesOf, touchedFile, touchedFiles } from '../grading/touched.ts';
import type { FinalPatch } from './finish.ts';
import type { PrintedPatch } from './settings.ts';
import { isPatch, MARKER } from './submission.ts';

/** A marker with a command behind it that prints a file or a diff. */
const PRINTING = new RegExp(
  `${MARKER}["']?[^\\S\\n]*(?:&&|;)[^\\n]*?\\b(?:cat[^\\S\\n]+["']?([^\\s"'\`;&|<>)]+)|git\\b[^\\n]*\\bdiff\\b)`,
);

/** What the text asks to be printed; null: nothing, so that what differs is the answer. */
export function printedPatch(instance: string, cwd: string): PrintedPatch | null {
  const found = PRINTING.exec(instance);
  if (found === null) return null;
  const path = found[1] === undefined ? '..' : posix.relative('/testbed', posix.resolve(cwd, found[1]));
  return { file: path.startsWith('..') ? null : path };
}

/**
 * The patch of a rollout in such a protocol. Where printing changed bytes, they are taken from the workspace, for the
 * files that were printed. When the agent printed no patch, it is what differs, without the file that it was told to write.
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
