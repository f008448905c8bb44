// The least needed to take a GLB apart and put it together again.
import { readFileSync, writeFileSync } from 'node:fs';

export function readGlb(path) {
  const b = readFileSync(path);
  if (b.readUInt32LE(0) !== 0x46546c67) throw new Error(`${path}: not a GLB`);
  const n = b.readUInt32LE(12);
  const at = 20 + n;
  return {
    json: JSON.parse(b.subarray(20, at).toString('utf8')),
    bin: at + 8 <= b.length ? b.subarray(at + 8, at + 8 + b.readUInt32LE(at)) : Buffer.alloc(0),
  };
}

const pad = (b, fill) => Buffer.concat([b, Buffer.alloc((4 - (b.length % 4)) % 4, fill)]);
const chunk = (type, body) => {
  const h = Buffer.alloc(8);
  h.writeUInt32LE(body.length, 0);
  h.writeUInt32LE(type, 4);
  return Buffer.concat([h, body]);
};
export function packGlb({ json, bin }) {
  const parts = [chunk(0x4e4f534a, pad(Buffer.from(JSON.stringify(json)), 0x20)), ...(bin.length ? [chunk(0x004e4942, pad(bin, 0))] : [])];
  const h = Buffer.alloc(12);
  h.writeUInt32LE(0x46546c67, 0);
  h.writeUInt32LE(2, 4);
  h.writeUInt32LE(12 + parts.reduce((s, p) => s + p.length, 0), 8);
  return Buffer.concat([h, ...parts]);
}
export const writeGlb = (path, glb) => writeFileSync(path, packGlb(glb));
