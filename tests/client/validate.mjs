// node validate.mjs FILE... [--json] [--raw] [--against BEFORE.vrm]
// Khronos glTF validator. It cannot read meshopt-compressed buffers, so they are decoded first (all of the
// geometry is then checked, not just its headers); --raw validates the file as it is. --against: fail only on
// error and warning codes that BEFORE does not have (as many of). Exit 0 clean, 1 not, 2 crash.
import { readFileSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import validator from 'gltf-validator';
import { MeshoptDecoder } from 'meshoptimizer';
import { packGlb, readGlb } from './selftest/glb.mjs';

const MESHOPT = ['EXT_meshopt_compression', 'KHR_meshopt_compression'];
const SEVERITY = ['error', 'warning', 'info', 'hint'];
// The validator does not know these extensions; it says so once for each and looks no further into them.
const EXPECTED = 'UNSUPPORTED_EXTENSION is expected for VRM*, VRMC_* and meshopt: the validator does not know them';

/** The bytes of one buffer view, decoded when meshopt compressed them. */
function viewBytes(json, bin, view) {
  const name = MESHOPT.find((e) => view.extensions?.[e]);
  if (!name) {
    const own = view.buffer === 0 && json.buffers[0].uri === undefined;
    if (!own) throw new Error(`buffer view in buffer ${view.buffer}: only GLBs with one buffer are handled`);
    return bin.subarray(view.byteOffset ?? 0, (view.byteOffset ?? 0) + view.byteLength);
  }
  const { count, byteStride, byteOffset = 0, byteLength, mode, filter = 'NONE' } = view.extensions[name];
  const bytes = new Uint8Array(count * byteStride);
  MeshoptDecoder.decodeGltfBuffer(bytes, count, byteStride, bin.subarray(byteOffset, byteOffset + byteLength), mode, filter);
  return bytes;
}

/** The same GLB with every meshopt-compressed buffer view decoded. */
function decodeMeshopt({ json, bin }) {
  const parts = [];
  let size = 0;
  for (const view of json.bufferViews ?? []) {
    const bytes = viewBytes(json, bin, view);
    const padding = new Uint8Array((4 - (bytes.length % 4)) % 4);
    for (const name of MESHOPT) delete view.extensions?.[name];
    if (view.extensions && !Object.keys(view.extensions).length) delete view.extensions;
    Object.assign(view, { buffer: 0, byteOffset: size, byteLength: bytes.length });
    parts.push(bytes, padding);
    size += bytes.length + padding.length;
  }
  json.buffers = size ? [{ byteLength: size }] : undefined;
  for (const key of ['extensionsUsed', 'extensionsRequired']) {
    json[key] = json[key]?.filter((e) => !MESHOPT.includes(e));
    if (!json[key]?.length) delete json[key];
  }
  return { json, bin: Buffer.concat(parts) };
}

/** What the validator says of a file: counts by severity, and for each code how often and the first place. */
export async function validate(path, raw = false) {
  let bytes = readFileSync(path);
  const decoded = !raw && bytes.includes('_meshopt_compression');
  if (decoded) {
    await MeshoptDecoder.ready;
    bytes = packGlb(decodeMeshopt(readGlb(path)));
  }
  const options = { uri: basename(path), maxIssues: 0, writeTimestamp: false };
  const { issues, validatorVersion, info } = await validator.validateBytes(new Uint8Array(bytes), options);
  const codes = {};
  for (const m of issues.messages) {
    codes[m.code] ??= { severity: SEVERITY[m.severity], count: 0, first: `${m.pointer ?? ''} ${m.message}`.trim() };
    codes[m.code].count++;
  }
  const counts = { error: issues.numErrors, warning: issues.numWarnings, info: issues.numInfos, hint: issues.numHints };
  return { file: path, meshoptDecoded: decoded, counts, codes, validator: validatorVersion, info };
}

/** The codes of errors that `report` has more often than `base`; with a base, also of warnings. */
export function worse(report, base = null) {
  const counts = ([code, c]) => c.count > (base?.codes[code]?.count ?? 0);
  const matters = ([, c]) => c.severity === 'error' || (base && c.severity === 'warning');
  return Object.entries(report.codes)
    .filter((entry) => matters(entry) && counts(entry))
    .map(([code]) => code);
}

function print(report, base) {
  const counts = SEVERITY.map((s) => `${report.counts[s]} ${s}`).join(', ');
  console.log(`${report.file}: ${counts}${report.meshoptDecoded ? ' (meshopt decoded first)' : ''}`);
  for (const [code, c] of Object.entries(report.codes)) console.log(`  ${c.severity.padEnd(7)} ${code} x${c.count}  ${c.first}`);
  if (report.codes.UNSUPPORTED_EXTENSION) console.log(`  (${EXPECTED})`);
  if (report.worse.length) console.log(`  ${base ? 'WORSE THAN BEFORE' : 'ERRORS'}: ${report.worse.join(', ')}`);
}

async function main() {
  const options = { json: { type: 'boolean' }, raw: { type: 'boolean' }, against: { type: 'string' } };
  const { values: opt, positionals: files } = parseArgs({ allowPositionals: true, options });
  if (!files.length) {
    console.error('usage: node validate.mjs FILE... [--json] [--raw] [--against BEFORE.vrm]');
    return 2;
  }
  const base = opt.against ? await validate(opt.against, opt.raw) : null;
  const reports = [];
  for (const file of files) reports.push(await validate(file, opt.raw));
  for (const report of reports) report.worse = worse(report, base);
  if (opt.json) console.log(JSON.stringify(reports, null, 1));
  else for (const report of reports) print(report, base);
  return reports.some((report) => report.worse.length) ? 1 : 0;
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main().catch((e) => (console.error(e.message), 2));
}
