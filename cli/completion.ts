/**
 * `completion SHELL`: a script that completes commands, options and files. Options are read from the commands' own help
 * pages when the script is made, so they cannot disagree with them.
 */
import type { CommandIo } from '../app/io.ts';
import { shown } from '../app/shown.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';

const COMPLETION = {
  name: 'completion',
  summary: 'Print a script that lets a shell complete commands, options and files.',
  positionals: [{ name: 'SHELL', description: 'bash, zsh or fish', required: true }],
  options: {},
  examples: [
    ['source <(swemake completion bash)', 'in ~/.bashrc; the same with zsh in ~/.zshrc'],
    ['swemake completion fish > ~/.config/fish/completions/swemake.fish', 'for fish'],
  ],
} as const satisfies CommandSpec;

type Help = readonly [command: string, options: string[]][];

const SCRIPTS: Readonly<Record<string, (help: Help) => string>> = { bash, zsh, fish };

type Commands = Readonly<Record<string, () => Promise<(args: string[], io: CommandIo) => Promise<number>>>>;

export async function completionCommand(args: string[], io: CommandIo, commands: Commands): Promise<number> {
  const parsed = parseCommand(COMPLETION, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const shell = parsed.positionals[0]!;
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    const remedy = `one of ${Object.keys(SCRIPTS).join(', ')}`;
    return answerUsage({ kind: 'usage', message: `no completion for "${shell}"`, remedy }, io);
  }
  io.stdout.write(shown(script(await readHelp(io, commands))));
  return 0;
}

/** Every command with the options that its help names. */
async function readHelp(io: CommandIo, commands: Commands): Promise<Help> {
  const found: [string, string[]][] = [];
  for (const [command, load] of Object.entries(commands)) {
    let text = '';
    const stdout = { write: (piece: string) => (text += piece) };
    await (await load())(['--help'], { ...io, stdout });
    const options = [...text.matchAll(/^ {2}(?:-\w, |\s{4})(--[a-z][a-z-]*)/gm)].map(([, option]) => option!);
    found.push([command, [...new Set(options)]]);
  }
  return found;
}

function bash(help: Help): string {
  const cases = help.map(([command, options]) => `    ${command}) words='${options.join(' ')}' ;;`);
  return `_swemake() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${help.map(([command]) => command).join(' ')}' -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -F _swemake swemake
`;
}

function zsh(help: Help): string {
  const cases = help.map(([command, options]) => `    ${command}) compadd -- ${options.join(' ')} ;;`);
  return `#compdef swemake
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -u }
_swemake() {
  if (( CURRENT == 2 )); then
    compadd -- ${help.map(([command]) => command).join(' ')}
    return
  fi
  if [[ $words[CURRENT] != -* ]]; then
    _files
    return
  fi
  case $words[2] in
${cases.join('\n')}
  esac
}
compdef _swemake swemake
`;
}

function fish(help: Help): string {
  const commands = help.map(([command]) => `complete -c swemake -n __fish_use_subcommand -f -a ${command}`);
  const options = help.flatMap(([command, names]) =>
    names.map(
      (name) => `complete -c swemake -n '__fish_seen_subcommand_from ${command}' -l ${name.slice(2)}`,
    ),
  );
  return `${[...commands, ...options].join('\n')}\n`;
}
