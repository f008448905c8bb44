// node cover.mjs --binary PATH [AVATAR MODEL.json ..]: do cover masks open holes? Each outfit of the avatars (without arguments: of
// every look under samples/ with a VRM, and of a figure made here) is drawn by three.js with and without its mask, in 8 poses from 48 sides. Exit 0 when no pixel does.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startClient } from './client.mjs';
import { dressed, outfits as clothes } from './selftest/dressed.mjs';
import { writeGlb } from './selftest/glb.mjs';

const project = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Avatar and manifest of every look under samples/ whose outfits or parts can hide something. */
function samples() {
  const manifests = readdirSync(join(project, 'samples'), { recursive: true }).filter((path) => path.endsWith('model.json'));
  const looks = manifests.filter((path) => !path.includes('broken')).sort().map((path) => join(project, 'samples', path));
  const avatar = (path) => join(dirname(path), JSON.parse(readFileSync(path, 'utf8')).avatar ?? '');
  return looks.filter((path) => avatar(path).endsWith('.vrm')).map((path) => [avatar(path), path]);
}

/** A figure in a robe, boots, gloves and a hood, or in a shirt that is a material of its body. */
function generated(folder) {
  const [avatar, manifest] = ['dressed.vrm', 'model.json'].map((name) => join(folder, name));
  writeGlb(avatar, dressed());
  writeFileSync(manifest, JSON.stringify({ avatar: 'dressed.vrm', outfits: clothes }));
  return [avatar, manifest];
}

/** The numbers of the hidden triangles of a mask. */
function hidden({ triangles, bits }) {
  const bytes = Buffer.from(bits, 'base64');
  return [...Array(triangles).keys()].filter((t) => (bytes[t >> 3] >> (t & 7)) & 1);
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { binary: { type: 'string' } } });
if (!values.binary || positionals.length % 2) {
  console.error('usage: node cover.mjs --binary PATH [AVATAR MODEL.json ..]');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'cover-'));
const looks = positionals.length ? Array.from({ length: positionals.length / 2 }, (_, i) => positionals.slice(2 * i, 2 * i + 2)) : [...samples(), generated(folder)];
const client = await startClient({ entry: 'cover-page.js' });
const tally = { passed: 0, failed: 0 };
try {
  for (const [avatar, manifest] of looks) {
    const run = execFileSync(values.binary, ['cover', avatar, '--model', manifest, '--format', 'json'], { maxBuffer: 1 << 28 });
    const page = await client.page();
    await page.call('open', client.serve(avatar));
    const outfits = JSON.parse(readFileSync(manifest, 'utf8')).outfits ?? [];
    for (const { outfit, triangles, parts, hidden: count } of JSON.parse(run).models[0].cover) {
      const masks = parts.map((part) => ({ ...part, bits: undefined, hidden: hidden(part) }));
      const { pixels, poking, worst } = await page.call('judge', outfits, outfit, masks);
      const verdict = pixels ? 'FAIL' : 'ok  ';
      tally[pixels ? 'failed' : 'passed']++;
      console.log(`${verdict} ${relative(project, avatar)} ${outfit}: ${count} of ${triangles} hidden, ${pixels} hole pixels, ${poking} poking`);
      worst.forEach((one) => console.log(`     pose ${one.pose} view ${one.view}: ${one.count}`));
    }
    page.log.forEach((line) => console.error(line));
    await page.close();
  }
} finally {
  await client.stop();
  rmSync(folder, { recursive: true });
}
console.log(`${tally.passed} passed, ${tally.failed} failed, 0 skipped`);
process.exit(tally.failed ? 1 : 0);
