// node selftest/run.mjs [FILE.vrm ...] : does check.mjs pass identical files and catch each damage, by the right name?
// Without files it makes its own small avatars (VRM 0.x and 1.0). Ends with 'N passed, N failed, N skipped'.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { check } from '../check.mjs';
import { startClient } from '../client.mjs';
import { DAMAGES } from './damages.mjs';
import { fixture } from './fixture.mjs';
import { packGlb, readGlb, writeGlb } from './glb.mjs';

const PERFECT = { psnr: 99, ssim: 1 }; // of every other measure: 0
const count = { passed: 0, failed: 0, skipped: 0 };
const say = (verdict, text) => {
  count[verdict]++;
  console.log(`${verdict === 'failed' ? 'FAILED' : verdict} ${text}`);
};

/** A file is exactly itself. */
async function identical(client, file) {
  const report = await check(client, file, file);
  const exact = Object.entries(report.measured).every(([key, m]) => m.worst === (PERFECT[key] ?? 0));
  const failures = report.failures.map((f) => f.text).join(' | ');
  const text = `${basename(file)}: identical, ${report.pictures.length} pictures, ${report.seconds} s ${failures}`;
  say(report.ok && exact ? 'passed' : 'failed', text);
}

/** The file with this damage, or null where it does not apply. */
function damaged(file, { edit, cut }) {
  const glb = readGlb(file);
  const { VRMC_vrm: v1, VRM } = glb.json.extensions;
  const v0 = v1 ? undefined : VRM;
  const bone = (name) => (v1 ? v1.humanoid.humanBones[name]?.node : v0.humanoid.humanBones.find((b) => b.bone === name)?.node);
  if (edit?.({ json: glb.json, v1, v0, bone }) === false) return null;
  const bytes = packGlb(glb);
  return cut ? cut(bytes) : bytes;
}

/** The damage is reported by the right names. */
async function caught(client, file, damage, path) {
  const bytes = damaged(file, damage);
  if (!bytes) return console.log(`-- ${basename(file)}: ${damage.name}: does not apply`);
  writeFileSync(path, bytes);
  const { failures } = await check(client, file, path, { quick: true });
  const missed = damage.keys.filter((key) => !failures.some((f) => f.key === key));
  const reported = damage.keys.map((key) => failures.find((f) => f.key === key)?.text ?? `${key} NOT REPORTED`).join(' | ');
  const all = [...new Set(failures.map((f) => f.key))];
  say(missed.length ? 'failed' : 'passed', `${basename(file)}: ${damage.name}: ${reported}  [all: ${all}]`);
}

/** The fixture in both versions. */
function fixtures(folder) {
  return [0, 1].map((version) => {
    const path = join(folder, `vrm${version}.vrm`);
    writeGlb(path, fixture(version));
    return path;
  });
}

const folder = mkdtempSync(join(tmpdir(), 'companion-build-selftest-'));
const client = await startClient();
try {
  const given = process.argv.slice(2);
  for (const file of given.length ? given : fixtures(folder)) {
    await identical(client, file);
    for (const damage of DAMAGES) await caught(client, file, damage, join(folder, 'damaged.vrm'));
  }
} finally {
  await client.stop();
  rmSync(folder, { recursive: true });
}
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exitCode = count.failed ? 1 : 0;
