/** `serve --install`: the server as a service, and the images that it is for. */
import type { CommandIo } from '../app/io.ts';
import { comesToListen, installUnit, localName } from '../app/servers/install.ts';
import type { ServeSettings } from '../app/servers/settings.ts';
import { shown } from '../app/shown.ts';
import { imagesCommand } from './images.ts';

interface Unit {
  text: string;
  settings: ServeSettings;
}

interface Values {
  rows: string | undefined;
  'token-file': string | undefined;
}

export async function installServer(
  what: string,
  unit: Unit,
  values: Values,
  io: CommandIo,
): Promise<number> {
  const { address, tls } = unit.settings;
  const name = `swemake-${what}`;
  const print = (text: string) => void io.stderr.write(shown(`${text}\n`));
  const installed = await installUnit(name, unit.text, io);
  if (!installed.ok) {
    print(installed.fault);
    return 3;
  }
  print(`${installed.value.unit} ${installed.value.isNew ? 'is written' : 'is as it was'}, and ${name} runs`);
  if (!(await comesToListen(address))) {
    print(`nothing listens at its address: journalctl -u ${name} says why`);
    return 3;
  }
  const rows = what === 'node' ? (values.rows ?? io.env.TRAIN) : undefined;
  if (rows === undefined) return 0;
  const { 'token-file': token } = values;
  const url =
    'path' in address
      ? `unix:${address.path}`
      : `http${tls === null ? '' : 's'}://${localName(address.host)}:${address.port}`;
  const words = ['--rows', rows, '--pull', '--node', url];
  return imagesCommand([...words, ...(token === undefined ? [] : ['--token-file', token])], io);
}
