/** The variables that `${env:…}` and `${secret:…}` name: those of the process, then those of --env-file. */
import type { DiagnosticSink } from './diagnostic.ts';
import { type SourceText, sourceText } from './source-text.ts';

const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/;

/** Reads `NAME=value` lines; `#` begins a comment, quotes are taken off, double quotes know \n, \t and \\. */
export function parseVariables(source: SourceText, sink: DiagnosticSink): Map<string, string> {
  const variables = new Map<string, string>();
  let start = 0;
  for (const line of source.text.split('\n')) {
    const end = start + line.length;
    const found = LINE.exec(line);
    if (found !== null) variables.set(found[1]!, unquote(found[2]!));
    else if (/^\s*[^#\s]/.test(line)) {
      // The line may hold a token, so it is not shown.
      const hidden = { source: sourceText(source.name, source.text.slice(0, start)), start, end: start };
      sink.add('E124', hidden, 'this line is not NAME=value', 'write NAME=value, or begin a comment with #');
    }
    start = end + 1;
  }
  return variables;
}

function unquote(text: string): string {
  const quoted = /^(["'])(.*)\1(?:\s+#.*)?$/.exec(text);
  if (quoted === null) return text.replace(/\s+#.*$/, '');
  if (quoted[1] === "'") return quoted[2]!;
  return quoted[2]!.replace(/\\([nt"\\$])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t' };
