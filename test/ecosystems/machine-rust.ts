/** The version of a toolchain of Rust that rustup installed here: LANGUAGES_RUST, by default that of the machine's rustc. */
import { execFileSync } from 'node:child_process';

export const RUST = process.env.LANGUAGES_RUST ?? machineRust();
if (RUST === null) process.stdout.write('skipped: this machine has no rustc\n');

function machineRust(): string | null {
  try {
    return /\d+\.\d+\.\d+/.exec(execFileSync('rustc', ['--version'], { encoding: 'utf8' }))?.[0] ?? null;
  } catch {
    return null;
  }
}
