/**
 * Wrong project files with what must be said about them. «…» marks the text that must be underlined; the marks are
 * taken out before the file is read.
 */
import { MINIMAL } from './project-folder.ts';

export interface WrongProject {
  title: string;
  yaml: string;
  code: string;
  message: string;
  remedy: string;
}

export const recipe = (keys: string) =>
  `${MINIMAL}environments:\n  recipes:\n    - match: { repo: a/b }\n${keys}\n`;
export const box = (keys: string) => `${MINIMAL}deployments:\n  box:\n${keys}\n`;
export const train = (keys: string) =>
  `version: 1\nname: demo\ndataset:\n  train:\n    source: owner/rows\n    format: swe-smith\n${keys}\n`;

export const wrong = (
  title: string,
  yaml: string,
  code: string,
  message: string,
  remedy: string,
): WrongProject => ({
  title,
  yaml,
  code,
  message,
  remedy,
});

export const SYNTAX: WrongProject[] = [
  wrong(
    'a tab as indent',
    `version: 1\nname: demo\ndataset:\n«\t»train: {}\n`,
    'E101',
    'a tab cannot indent',
    'use spaces',
  ),
  wrong(
    'an unclosed bracket',
    `version: 1\nname: «[»demo\n`,
    'E101',
    'a "]" is missing',
    'close what was opened, and indent all of it',
  ),
  wrong(
    'a bracket that is noticed lines below',
    `version: 1\nname: demo # it's [\ndataset:\n  train: «{» source: "a]}", format: custom\nagent: { type: oracle }\n`,
    'E101',
    'a "}" is missing',
    'close what was opened, and indent all of it',
  ),
  wrong(
    'a missing comma',
    `version: 1\nname: demo\ndataset: { train: { source: «r.jsonl format: custom »} }\n`,
    'E101',
    'a comma or a closing bracket is missing',
    'put a comma between the entries',
  ),
  wrong(
    'a missing colon',
    `version: 1\n«name demo»\ndataset: {}\n`,
    'E101',
    'a colon and a space are missing',
    'write KEY: VALUE',
  ),
  wrong(
    'a missing colon in the last line',
    `version: 1\n«name demo»\n`,
    'E101',
    'a colon and a space are missing',
    'write KEY: VALUE',
  ),
  wrong(
    'a line that is indented too far',
    `version: «1»\n name: demo\n`,
    'E101',
    'the next line is indented further than this one',
    'indent the line like its neighbours',
  ),
  wrong(
    'a second document',
    `${MINIMAL}«---\nversion: 1\n»`,
    'E101',
    'a second document begins here',
    'keep one document in a file',
  ),
  wrong(
    'an unknown anchor',
    `${MINIMAL}cache: &shared {}\nresources: «*shraed»\n`,
    'E101',
    'no anchor "shraed" before this place',
    'did you mean *shared?',
  ),
  wrong(
    'a tag',
    `version: 1\nname: «!upper» demo\n`,
    'E101',
    'tags have no meaning here: Unresolved tag: !upper',
    'remove the tag',
  ),
  wrong(
    'YAML 1.1',
    `«%YAML 1.1»\n---\n${MINIMAL}`,
    'E101',
    'the file asks for YAML 1.1, in which off and yes are not text',
    'remove the %YAML line',
  ),
  wrong(
    'a list as a key',
    `${MINIMAL}«[a, b]»: 1\n`,
    'E101',
    'a key must be a piece of text',
    'write KEY: VALUE',
  ),
  wrong(
    'a merge of text',
    `${MINIMAL}cache: «{ <<: text }»\n`,
    'E101',
    '<< merges maps only',
    'write << : *anchor, where the anchor is on a map',
  ),
  wrong(
    'a key given twice',
    `${MINIMAL}«name»: other\n`,
    'E108',
    'key "name" is given twice',
    'remove one of them; the other is in line 2',
  ),
  wrong(
    'a huge integer',
    train('    select: { seed: «12345678901234567890» }'),
    'E109',
    '12345678901234567890 has more digits than a number keeps',
    'write "12345678901234567890" if it is text',
  ),
  wrong(
    'not a number',
    box('    limits: { cpus: «.nan» }'),
    'E109',
    '.nan is not a usable number',
    'write a finite number',
  ),
  wrong(
    'infinity',
    box('    limits: { cpus: «.inf» }'),
    'E109',
    '.inf is not a usable number',
    'write a finite number',
  ),
  wrong('minus zero', train('    select: { seed: «-0» }'), 'E109', 'minus zero', 'write 0'),
  wrong(
    'values too deep in each other',
    `${MINIMAL}cache: ${'['.repeat(49)}«[]»${']'.repeat(49)}\n`,
    'E110',
    'nested too deeply',
    'keep to 50 levels',
  ),
  wrong(
    'an anchor inside itself',
    `${MINIMAL}cache: &a { folder: «*a» }\n`,
    'E110',
    'anchor "a" contains itself',
    'write the values out',
  ),
  wrong(
    'a control character',
    `version: 1\nname: de«\u0007»mo\n`,
    'E125',
    'control character U+0007',
    'remove it; the file must be UTF-8 text',
  ),
];

export const SCHEMA: WrongProject[] = [
  wrong(
    'an unknown deployment type',
    box('    type: «sandbx»'),
    'E102',
    'unknown deployment type "sandbx"',
    'did you mean "sandbox"?',
  ),
  wrong(
    'a type of a later version',
    box('    type: «slurm»'),
    'E102',
    'unknown deployment type "slurm"',
    'one of auto, sandbox, local, docker, pool, process, ray',
  ),
  wrong(
    'an unknown format',
    `version: 1\nname: demo\ndataset:\n  train: { source: a/b, format: «swe_bench» }\n`,
    'E102',
    'unknown dataset format "swe_bench"',
    'did you mean "swe-bench"?',
  ),
  wrong(
    'a mistyped key',
    `${MINIMAL}«validatoin»: {}\n`,
    'E103',
    'unknown key "validatoin"',
    'did you mean "validation"?',
  ),
  wrong(
    'a key one level too high',
    box('    «memory»: 4GiB'),
    'E103',
    'unknown key "memory" in deployments.box',
    'did you mean "limits.memory"?',
  ),
  wrong(
    'a key like a built-in property',
    `${MINIMAL}«constructor»: 1\n`,
    'E103',
    'unknown key "constructor"',
    'known keys: version, name, extends, profiles, dataset, environments, deployments, validation, agent, grading, trainer, evaluation, targets, out, cache, nodes, resources',
  ),
  wrong(
    'a missing key',
    `version: 1\nname: demo\ndataset:\n  «train»: { source: a/b }\n`,
    'E104',
    'dataset.train has no format',
    'add format: swe-smith (or swe-bench, swe-gym, swe-rebench, swe-rebench-v2, r2e-gym, multi-swe-bench, swe-bench-pro, swe-polybench, mutation, custom, nested)',
  ),
  wrong(
    'a key without value',
    `version: 1\n«name»:\ndataset: { t: { source: a/b, format: custom } }\n`,
    'E104',
    'name has no value',
    'write name: smith-qwen3b',
  ),
  wrong('an empty file', `«»`, 'E104', 'the file is empty', 'begin with version: 1'),
  wrong(
    'a list as a project',
    `«»- version: 1\n`,
    'E105',
    'a project is a map of keys',
    'begin with version: 1',
  ),
  wrong(
    'text for a list',
    recipe('      install: «pip install .»'),
    'E105',
    'install must be a list, not the text "pip install ."',
    'write ["pip install ."]',
  ),
  wrong(
    'a number for text',
    recipe('      pip: [«3»]'),
    'E105',
    'pip[0] must be a string: 3 is a number',
    'write "3"',
  ),
  wrong(
    'a quoted number',
    box('    limits: { pids: «"64"» }'),
    'E105',
    'pids must be a whole number, not the text "64"',
    'write 64 without quotes',
  ),
  wrong(
    'a list for a map',
    box('    «limits»: [1]'),
    'E105',
    'limits must be a map, not a list',
    'it may hold memory, pids, disk, cpus',
  ),
  wrong(
    'a bad name',
    `version: 1\nname: demo\ndataset:\n  «a.b»: { source: a/b, format: custom }\n`,
    'E106',
    '"a.b" cannot be a name in dataset',
    'use up to 64 letters, digits, dashes and underscores, beginning with a letter or digit',
  ),
  wrong(
    'a negative count',
    train('    select: { sample: «-4» }'),
    'E106',
    'sample must be at least 1',
    'write 1 or more',
  ),
  wrong(
    'no datasets',
    `version: 1\nname: demo\n«dataset»: {}\n`,
    'E106',
    'dataset is empty',
    'for example {"train":{"source":"rows.jsonl","format":"custom"}}',
  ),
  wrong(
    'a python version as a number',
    recipe('      python: «3.10»'),
    'E107',
    'python version must be a string: 3.10 reads as the number 3.1',
    'write "3.10"',
  ),
  wrong(
    'a version that survives as a number',
    recipe('      python: «3.11»'),
    'E107',
    'python version must be a string: 3.11 is a number',
    'write "3.11"',
  ),
  wrong(
    'a time in unknown units',
    recipe('      timeout: «20 minutes»'),
    'E112',
    '"20 minutes" is not a time',
    'write 20s, 5m, 2h or a number of seconds',
  ),
  wrong(
    'a size in unknown units',
    box('    limits: { memory: «4 gigs» }'),
    'E112',
    '"4 gigs" is not a size',
    'write 512MiB, 4GiB or a number of bytes',
  ),
  wrong(
    'a time of zero',
    `${MINIMAL}validation: { timeout: «0s» }\n`,
    'E130',
    'timeout must be more than 0',
    'write more, or leave it out',
  ),
  wrong(
    'a number of seconds of zero',
    `${MINIMAL}validation: { timeout: «0» }\n`,
    'E130',
    'timeout must be more than 0',
    'write more, or leave it out',
  ),
  wrong(
    'another file version',
    MINIMAL.replace('version: 1', 'version: «2»'),
    'E131',
    'version must be 1',
    'write version: 1',
  ),
];
