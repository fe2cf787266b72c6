/**
 * `tox --current-env` (the plugin tox-current-env, as SWE-bench runs sphinx) links the environment's Python into a folder of
 * tox. That works where the environment is a whole Python, as conda's are; a link to a virtual environment's Python is the
 * Python below it, without a package. What stands there before the plugin looks is left alone, so it is given programs that
 * start the environment's own.
 */

const CURRENT_ENV = /(?:^|[\s;&|/])tox\s[^\n;&|]*--current-env\b[^\n;&|]*/g;
const NAMED = /\s(?:-e\s*|--(?:env|env-list)[=\s])([\w.,-]+)/g;

/** Commands before the tests; none for any other command. */
export function toxPrograms(test: string): string[] {
  const runs = test.match(CURRENT_ENV) ?? [];
  const names = runs.flatMap((run) => [...run.matchAll(NAMED)].flatMap(([, list]) => list!.split(',')));
  return [...new Set(names)].map((name) => {
    const folder = `.tox/${name}/bin`;
    const write = `printf '#!/bin/sh\\nexec %s "$@"\\n' "$tool" > "$own" && chmod 755 "$own"`;
    return `mkdir -p ${folder}; for tool in /opt/env/bin/python /opt/env/bin/python[23] /opt/env/bin/python[23].[0-9]*; do own=${folder}/\${tool##*/}; if [ ! -e "$own" ]; then ${write}; fi; done`;
  });
}
