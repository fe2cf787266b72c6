/**
 * Translates SWE-bench's tables of other languages than Python. What its images install becomes a toolchain, what runs between patch and
 * tests a build. What a recipe cannot express becomes a note. Pure.
 */
import type { PartialRecipe } from '../../schemas/recipe.ts';
import { imageCommands } from './shell-commands.ts';

/** An entry of MAP_REPO_VERSION_TO_SPECS of a language. */
export interface LanguageSpec {
  docker_specs?: Record<string, unknown>;
  'apt-pkgs'?: string[];
  pre_install?: string[];
  install?: string | string[];
  build?: string[];
  test_cmd?: string | string[];
}

/** Language, as swebench's modules are called -> repository -> version -> spec. */
export type LanguageTables = Record<string, Record<string, Record<string, LanguageSpec>>>;

type Translated = { recipe: PartialRecipe; notes: string[] };

interface Parts {
  /** The versions of programs that the image has. */
  tools: Record<string, string>;
  install: string[];
  build: string[];
  test: string[];
  notes: string[];
}

/** Names of modules in swesmith and multi-swe-bench, by the names of swebench's. */
export const MODULE_LANGUAGES: Readonly<Record<string, string>> = {
  ...{ c: 'c', cpp: 'c', golang: 'go', java: 'java', rust: 'rust' },
  ...{ javascript: 'javascript', typescript: 'javascript' },
};

/** null: no ecosystem builds it. */
export function languageRecipe(language: string, spec: LanguageSpec, parser?: string): Translated | null {
  const before = imageCommands(spec.pre_install ?? []);
  const install = imageCommands(listOf(spec.install));
  const build = imageCommands(spec.build ?? [], true);
  const parts: Parts = {
    tools: Object.fromEntries(
      Object.entries(spec.docker_specs ?? {}).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    ),
    install: install.commands,
    build: build.commands,
    test: listOf(spec.test_cmd),
    notes: [...before.notes, ...install.notes, ...build.notes],
  };
  const own = OF_LANGUAGE[language]?.(parts, parser);
  if (own === undefined || own === null) return null;
  // A workspace has its repository's own files, so what an installation edits is edited again before tests.
  const edits = before.commands.filter((command) => EDITS.test(command));
  const builds = own.build ?? parts.build;
  const compiles = edits.length > 0 && builds.length === 0 ? (own.compiles ?? []) : builds;
  const system = [
    ...new Set([...(spec['apt-pkgs'] ?? []), ...before.system, ...install.system, ...build.system]),
  ];
  const recipe = compact({
    ...{ ecosystem: own.ecosystem, toolchain: own.toolchain, witness: own.witness, system },
    ...{
      pre_install: [...before.commands, ...(own.before ?? [])],
      install: own.install ?? [],
      build: [...edits, ...compiles],
    },
    test: (own.test ?? parts.test).join('\n'),
  });
  return { recipe, notes: parts.notes };
}

interface Own extends Pick<PartialRecipe, 'ecosystem' | 'toolchain' | 'witness'> {
  before?: string[];
  install?: string[];
  build?: string[];
  /** What its build is where a recipe has none. */
  compiles?: string[];
  test?: string[];
}

const EDITS = /\bsed -i\b/;

/** Parsers of runners that a witness of C and C++ knows. */
const WITNESSED = ['parse_log_googletest', 'parse_log_doctest', 'swe-smith-gtest', 'multi-swe-gtest'];

/** Parsers whose ids are numbers, which no witness knows. */
const COUNTING = ['swe-smith-karma', 'swe-smith-jasmine'];

/** Gets packages, as the ecosystem does by itself. */
const GETS_PACKAGES = /^(?:(?:npm|pnpm|yarn)(?: (?:i|ci|install))?(?: --?\S+)*(?: \|\| (?:true\b)?|$))+$/;

const OF_LANGUAGE: Record<string, (parts: Parts, parser: string | undefined) => Own | null> = {
  c({ test }, parser = '') {
    // SWE-smith's parser counts tests that ctest reports.
    const isCounting = parser === 'swe-smith-gtest' && test.some((line) => /\bctest\b/.test(line));
    const isSeen = WITNESSED.includes(parser) && !isCounting;
    return { ecosystem: 'cmake', ...(isSeen ? {} : { witness: 'none' }) };
  },
  go({ tools, install }) {
    // Compiling tests ahead leaves programs in the repository. Without a command of its own, what it imports is compiled.
    const more = install.filter((command) => !/^go (?:test -c|mod (?:tidy|download))\b/.test(command));
    return { ecosystem: 'go', ...ofTools({ go: releaseOf(tools.go_version) }), install: more };
  },
  java({ tools, install, build, test, notes }, parser) {
    const programs = new Set(
      test.map((command) => /(?:^|\/|\s)(mvn[dw]?|gradlew?|ant)\s/.exec(command)?.[1]),
    );
    const [program] = programs;
    if (program === undefined || program === 'ant') return null;
    if (program.startsWith('gradle'))
      notes.push('write the folder of a Gradle that fits the repository into toolchain.gradle');
    const isGradle = program.startsWith('gradle');
    const of = (commands: readonly string[]) =>
      commands.map((command) =>
        isGradle ? command.replace(/(^|\s)\.\/gradlew\b/g, '$1gradle') : byMaven(command),
      );
    return {
      ecosystem: isGradle ? 'gradle' : 'maven',
      ...ofTools({
        jdk: tools.java_version,
        ...(isGradle ? { gradle: '/opt/gradle' } : { maven: tools.maven_version }),
      }),
      // Ids that are tasks of Gradle.
      ...(parser?.startsWith('multi-swe-gradle') ? { witness: 'none' as const } : {}),
      // Modules beside the tested one are those of the patched state. What their build fetches is fetched before.
      before: isGradle ? [] : of([...install, ...build]).flatMap(withoutInstalling),
      build: of([...install, ...build]),
      ...(isGradle ? { compiles: ['gradle --offline -q testClasses'] } : {}),
      // This parser reads names of tests from the commands that the shell prints.
      test: [
        ...(isGradle || !(parser ?? 'parse_log_').startsWith('parse_log_') ? [] : ['set -x']),
        ...of(test),
      ],
    };
  },
  javascript({ tools, install, test }, parser) {
    const manager = /^(pnpm|yarn)\b/.exec(
      [...install, ...test].find((command) => /^(?:pnpm|yarn)\b/.test(command)) ?? '',
    )?.[1];
    const pnpm =
      PNPM[tools.pnpm_version ?? ''] ?? (tools.pnpm_version?.includes('.') ? tools.pnpm_version : undefined);
    return {
      ecosystem: (manager ?? 'npm') as 'npm' | 'pnpm' | 'yarn',
      ...(COUNTING.includes(parser ?? '') ? { witness: 'none' as const } : {}),
      ...ofTools({
        node: releaseOf(tools.node_version),
        ...(pnpm === undefined || manager !== 'pnpm' ? {} : { pnpm }),
        ...(manager === 'yarn' && tools.yarn_version !== undefined ? { yarn: tools.yarn_version } : {}),
      }),
      install: install.filter((command) => !GETS_PACKAGES.test(command)),
    };
  },
  rust({ tools, install }) {
    return { ecosystem: 'cargo', ...ofTools({ rust: tools.rust_version }), install };
  },
};

/** The last releases of Node and Go of which the tables give the first numbers. */
const RELEASES: Record<string, string> = {
  ...{
    '12': '12.22.12',
    '14': '14.21.3',
    '16': '16.20.2',
    '18': '18.20.8',
    '20': '20.19.0',
    '22': '22.21.1',
    '24': '24.11.1',
  },
  ...{ '1.23': '1.23.12', '1.24': '1.24.10' },
};
/** The last of pnpm, of which images give the first number. */
const PNPM: Record<string, string> = { '8': '8.15.9', '9': '9.15.9' };
const releaseOf = (version: string | undefined) => {
  if (version === undefined || RELEASES[version] !== undefined) return RELEASES[version ?? ''];
  const last = RELEASES[version.split('.', 1)[0]!];
  return last?.startsWith(`${version}.`) === true ? last : version;
};

function ofTools(tools: Record<string, string | undefined>): Pick<PartialRecipe, 'toolchain'> {
  const known = Object.entries(tools).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { toolchain: Object.fromEntries(known) };
}

/** Maven itself in place of its wrapper and its daemon, and one module after the other. */
function byMaven(command: string): string {
  return command.replace(/(^|\s)(?:\.\/mvnw|mvnd)\b/g, '$1mvn').replace(/ -T 1C\b/g, '');
}

/** The command up to the phase before that which leaves jars of the project for others, or an edit; none: it has no such phase. */
function withoutInstalling(command: string): string[] {
  if (EDITS.test(command)) return [command];
  return /\bmvn\b.* install\b/.test(command) ? [command.replace(/ install\b/, ' verify')] : [];
}

export function listOf(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : [value].flat();
}

/** The recipe without keys that say nothing. */
export function compact(recipe: { [K in keyof PartialRecipe]: PartialRecipe[K] | undefined }): PartialRecipe {
  const says = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(recipe).filter(([, value]) => says(value))) as PartialRecipe;
}
