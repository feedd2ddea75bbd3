/** Certificates for servers of the tests, made on the spot: of an authority of their own, and expired ones. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  cert: string;
  key: string;
}

interface Order {
  name: string;
  /** Absent: it signs itself. */
  issuer?: Authority;
  /** Absent: in a day. */
  notAfter?: Date;
}

export interface Authority extends Certificate {
  name: string;
  privateKey: KeyObject;
}

const DAY_MS = 86_400_000;

/** Good for localhost and 127.0.0.1, and an authority for others. */
export function makeCertificate({ name, issuer, notAfter = new Date(Date.now() + DAY_MS) }: Order): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = issuer?.privateKey ?? privateKey;
  const content = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    // The first byte makes it a positive number in its shortest form.
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ALGORITHM,
    nameOf(issuer?.name ?? name),
    sequence(time(new Date(notAfter.getTime() - 30 * DAY_MS)), time(notAfter)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(IS_AUTHORITY, HOSTS)),
  );
  const signature = tagged(0x03, Buffer.from([0]), sign('sha256', content, signer));
  const cert = toPem('CERTIFICATE', sequence(content, ALGORITHM, signature));
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { name, cert, key, privateKey };
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...parts: Buffer[]) => tagged(0x30, ...parts);
const object = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));
const octets = (content: Buffer) => tagged(0x04, content);
const time = (date: Date) => tagged(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`));

const integer = (bytes: Buffer) => tagged(0x02, bytes);

/** ecdsa-with-SHA256 */
const ALGORITHM = sequence(object('2a8648ce3d040302'));
const IS_AUTHORITY = sequence(object('551d13'), octets(sequence(tagged(0x01, Buffer.from([0xff])))));
const HOSTS = sequence(
  object('551d11'),
  octets(sequence(tagged(0x82, Buffer.from('localhost')), tagged(0x87, Buffer.from([127, 0, 0, 1])))),
);

/** A distinguished name with a common name only. */
const nameOf = (name: string) => sequence(tagged(0x31, sequence(object('550403'), tagged(0x0c, Buffer.from(name)))));

function toPem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
