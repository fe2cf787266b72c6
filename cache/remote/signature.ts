/**
 * Who wrote an entry of the remote cache. A writer signs the text of its entries, which names the action's key, the answer
 * and the digests of all contents, with a key of its own (ed25519). Readers with a list of trusted keys take no other
 * entries. The signature is the last member of the entry's JSON, so every store keeps it.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { fault, type Result, success } from '../../basics/result.ts';

/** Begins a public key as people write it. */
const PREFIX = 'ed25519:';
/** Of a DER file with an ed25519 public key: the rest is the key itself. */
const DER_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
/** What is signed begins with it, so that a signature of something else is none of an entry. */
const DOMAIN = 'swemake remote entry\n';
const MEMBER = /,"signature":\{"by":"(ed25519:[A-Za-z0-9+/]{43}=)","value":"([A-Za-z0-9+/]{86}==)"\}\}$/;

/** Public keys as {@link publicText} writes them. */
export type Trust = ReadonlySet<string>;

export interface Signer {
  /** The public key. */
  by: string;
  /** The JSON object with the signature as its last member. */
  sign(json: string): string;
}

/** `unsigned`: it names no writer. `unknown`: a writer that is not trusted. `wrong`: the signature is not its writer's. */
export type Judgement = 'trusted' | 'unsigned' | 'unknown' | 'wrong';

/** Why an entry is not taken. */
export type Untrusted = Exclude<Judgement, 'trusted'>;

/** A new private key as a PEM text, and its public key. */
export function newKeyPair(): { privateKey: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicText(publicKey),
  };
}

/** A signer with the private key of a PEM text, or of the base64 between its first and last line. */
export function createSigner(text: string): Result<Signer, string> {
  let key: KeyObject;
  try {
    key = text.includes('-----BEGIN')
      ? createPrivateKey(text)
      : createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
  } catch {
    // Whatever OpenSSL finds wrong with it. What it says may quote the text.
    return fault('it is no private key');
  }
  if (key.asymmetricKeyType !== 'ed25519') return fault('it is no ed25519 key');
  const by = publicText(createPublicKey(key));
  return success({
    by,
    sign: (json) => {
      const value = sign(null, Buffer.from(DOMAIN + json), key).toString('base64');
      return `${json.slice(0, -1)},"signature":${JSON.stringify({ by, value })}}`;
    },
  });
}

/** What an entry's JSON is worth to somebody who trusts these keys. */
export function judge(json: string, trust: Trust): Judgement {
  const found = MEMBER.exec(json);
  if (found === null) return 'unsigned';
  const [member, by = '', value = ''] = found;
  const signed = `${json.slice(0, json.length - member.length)}}`;
  const key = publicKey(by);
  if (!verify(null, Buffer.from(DOMAIN + signed), key, Buffer.from(value, 'base64'))) return 'wrong';
  return trust.has(by) ? 'trusted' : 'unknown';
}

/** True of a public key in the form that people write. */
export function isPublicKey(text: string): boolean {
  return /^ed25519:[A-Za-z0-9+/]{43}=$/.test(text);
}

function publicText(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' });
  return `${PREFIX}${der.subarray(DER_HEAD.length).toString('base64')}`;
}

function publicKey(text: string): KeyObject {
  const raw = Buffer.from(text.slice(PREFIX.length), 'base64');
  return createPublicKey({ key: Buffer.concat([DER_HEAD, raw]), format: 'der', type: 'spki' });
}
