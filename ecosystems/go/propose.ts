/** The toolchain for a Go repository: one that is known here, or a later one that its manifest asks for. */
import type { Proposal, ProposedFor } from '../kind.ts';

const USUAL = '1.23.8';

/** https://go.dev/doc/modules/gomod-ref: `toolchain` names a release; `go` the least one, whose first release since 1.21 ends in `.0`. */
export function proposeGo({ read }: ProposedFor): Proposal {
  const [file, text] = read('go.mod') === '' ? ['go.work', read('go.work')] : ['go.mod', read('go.mod')];
  const [line, version = '0'] =
    /^toolchain\s+go(\d+\.\d+(?:\.\d+)?)/m.exec(text) ?? /^go\s+(\d+\.\d+(?:\.\d+)?)/m.exec(text) ?? [];
  if (!isLater(version, USUAL))
    return {
      recipe: { toolchain: { go: USUAL } },
      notes: [`Go as it is known here; ${file} asks for no later one.`],
    };
  const go = version.split('.').length === 2 ? `${version}.0` : version;
  return { recipe: { toolchain: { go } }, notes: [`${file} says "${line}".`] };
}

function isLater(version: string, than: string): boolean {
  const other = than.split('.').map(Number);
  const difference = version.split('.').map((part, at) => Number(part) - other[at]!);
  return (difference.find((by) => by !== 0) ?? 0) > 0;
}
