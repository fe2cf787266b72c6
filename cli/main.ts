/** The command line: picks a command and runs it. */
export async function main(args: string[]): Promise<number> {
  process.stdout.write(`swemake ${args.join(' ')}\n`);
  return 0;
}
