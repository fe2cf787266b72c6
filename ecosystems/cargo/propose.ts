/** The toolchain for a crate: the one that its file `rust-toolchain` names where the machine has it, else the newest release. */
import type { Proposal, ProposedFor } from '../kind.ts';

/** https://rust-lang.github.io/rustup/overrides.html: a file of one line, or TOML with `channel`. */
const CHANNEL = /^(?:\s*channel\s*=\s*["']|\s*)(\d+\.\d+(?:\.\d+)?)["']?\s*$/m;

export async function proposeCargo({ read, here }: ProposedFor): Promise<Proposal | string> {
  const known = (await here('rust')).filter((version) => !version.includes('-'));
  const newest = known.at(-1);
  if (newest === undefined) return 'this machine has no toolchain of Rust, as rustup installs them';
  const file = ['rust-toolchain.toml', 'rust-toolchain'].find((name) => read(name) !== '');
  const asked = file === undefined ? undefined : CHANNEL.exec(read(file))?.[1];
  const found = known.findLast((one) => one === asked || one.startsWith(`${asked}.`));
  const notes = [
    ...(asked === undefined ? [] : [`${file} asks for Rust ${asked}.`]),
    ...(found === undefined ? ['Rust is the newest of this machine.'] : []),
  ];
  return { recipe: { toolchain: { rust: found ?? newest } }, notes };
}
