#!/usr/bin/env node
// Runs companion-build beside a reference shrinker (glTF-Transform, meshoptimizer and sharp) on the same files.
//
//   node benches/compare/run.mjs [options] [FILE|FOLDER ...]   a table of bytes; without files: the VRMs of ../shared/corpus
//   node benches/compare/run.mjs [options] --heavy             one heavy avatar, textures capped at 2048: time, memory, bytes
//
//   --reference DIR   holds shrink-ref.mjs and make-heavy.mjs; without its packages it is copied and they are installed
//                     in the copy (default ../shared/reference)
//   --binary FILE     default: target/release/companion-build
//   --defaults        our own texture qualities; without it all are the reference's, quality 80
//   --runs N          for --heavy: how often both run, in turn (default 5)
//   --donor FILE      for --heavy: the small VRM from which the heavy one is made
//
// Bytes of textures leave out the thumbnail of a VRM 1.0 avatar, which has to stay PNG or JPEG.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const root = path.resolve(import.meta.dirname, '../..');
const corpus = path.join(root, '../shared/corpus');
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    reference: { type: 'string', default: path.join(root, '../shared/reference') },
    binary: { type: 'string', default: path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, 'target'), 'release/companion-build') },
    defaults: { type: 'boolean', default: false },
    heavy: { type: 'boolean', default: false },
    runs: { type: 'string', default: '5' },
    donor: { type: 'string', default: path.join(corpus, 'vrm0/Godette_vrm_v4.vrm') },
  },
});
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'compare-'));
process.on('exit', () => fs.rmSync(temporary, { recursive: true, force: true }));

function fail(message) {
  console.error(message);
  process.exit(2);
}

/** The folder of the reference with its packages. */
function reference() {
  const given = path.resolve(options.reference);
  if (!fs.existsSync(path.join(given, 'shrink-ref.mjs'))) fail(`${given} holds no shrink-ref.mjs: give --reference DIR`);
  if (fs.existsSync(path.join(given, 'node_modules'))) return given;
  const copy = path.join(temporary, 'reference');
  fs.cpSync(given, copy, { recursive: true });
  spawnSync('chmod', ['-R', 'u+w', copy]);
  const npm = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: copy, stdio: ['ignore', 2, 2] });
  if (npm.status !== 0) fail('the packages of the reference cannot be installed');
  return copy;
}

const timeProgram = '/usr/bin/time';
const getrusage = `
import os, sys, time, resource
start = time.perf_counter()
status = os.spawnvp(os.P_WAIT, sys.argv[2], sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
open(sys.argv[1], 'w').write(f'{time.perf_counter() - start} {used.ru_utime} {used.ru_stime} {used.ru_maxrss}')
sys.exit(status)`;

/** Runs a command; wall and CPU in seconds, peak in MiB, and whether it ended well. */
function measure(command) {
  const log = path.join(temporary, 'time');
  const [program, ...before] = fs.existsSync(timeProgram) ? [timeProgram, '-q', '-f', '%e %U %S %M', '-o', log] : ['python3', '-c', getrusage, log];
  const start = performance.now();
  const run = spawnSync(program, [...before, ...command], { stdio: ['ignore', 'ignore', 'pipe'] });
  const wall = (performance.now() - start) / 1000;
  if (run.error) fail(`${program} does not run: ${run.error.message}`);
  const [, user, system, kib] = fs.readFileSync(log, 'utf8').trim().split(/\s+/).map(Number);
  return { ok: run.status === 0, wall, cpu: user + system, peak: kib / 1024 };
}

const equal = options.defaults ? [] : ['--set', 'textures.normalQuality=80', '--set', 'textures.dataQuality=80'];
const theirs = (folder) => (input, output, max) => [process.execPath, path.join(folder, 'shrink-ref.mjs'), input, output, ...max];
const ours = (input, output, max) => [path.resolve(options.binary), 'shrink', input, output, ...max, '--quiet', ...equal];

/** Bytes of a GLB by kind. */
function sizes(file) {
  const bytes = fs.readFileSync(file);
  if (bytes.length < 28 || bytes.toString('latin1', 0, 4) !== 'glTF') return null;
  const json = bytes.readUInt32LE(12);
  const root = JSON.parse(bytes.subarray(20, 20 + json));
  const view = (image) => root.images?.[image]?.bufferView;
  const length = (views) => [...new Set(views)].reduce((sum, v) => sum + (root.bufferViews?.[v]?.byteLength ?? 0), 0);
  const all = (root.images ?? []).map((image) => image.bufferView).filter((v) => v !== undefined);
  const thumbnail = view(root.extensions?.VRMC_vrm?.meta?.thumbnailImage);
  return {
    bytes: bytes.length,
    textures: length(all.filter((v) => v !== thumbnail)),
    geometry: Math.max(0, bytes.length - 28 - json - length(all)),
    json,
  };
}

const print = (rows) => {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  const line = (row) => `| ${row.map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join(' | ')} |`;
  const rule = `| ${widths.map((w, i) => (i ? `${'-'.repeat(w - 1)}:` : '-'.repeat(w))).join(' | ')} |`;
  console.log([line(rows[0]), rule, ...rows.slice(1).map(line)].join('\n'));
};
const number = (n) => Math.round(n).toLocaleString('en-US');
const ratio = (a, b) => (b ? (a / b).toFixed(2) : '-');

function filesOf(given) {
  if (!fs.existsSync(given)) fail(`${given} is not there`);
  if (!fs.statSync(given).isDirectory()) return [given];
  const inside = fs.readdirSync(given, { recursive: true, withFileTypes: true });
  return inside.filter((f) => f.isFile() && /\.(vrm|glb)$/i.test(f.name)).map((f) => path.join(f.parentPath, f.name)).sort();
}

function table() {
  const files = (positionals.length ? positionals : ['vrm0', 'vrm1'].map((folder) => path.join(corpus, folder))).flatMap(filesOf);
  const reference_ = theirs(reference());
  const rows = [['file', 'input', 'reference', 'ours', 'ours/ref', 'textures ref', 'ours', 'geometry ref', 'ours', 'JSON ref', 'ours']];
  const kinds = ['bytes', 'textures', 'geometry', 'json'];
  const total = { input: 0, ref: {}, own: {}, files: 0 };
  const left = [];
  for (const file of files) {
    const outs = [reference_, ours].map((command, i) => {
      const out = path.join(temporary, `${i}.vrm`);
      fs.rmSync(out, { force: true });
      return measure(command(file, out, [])).ok && fs.existsSync(out) ? sizes(out) : null;
    });
    const [ref, own] = outs;
    const name = path.basename(file);
    if (!ref || !own) {
      left.push(`${name} (${[!ref && 'the reference', !own && 'companion-build'].filter(Boolean).join(' and ')})`);
      continue;
    }
    const input = fs.statSync(file).size;
    total.input += input;
    total.files++;
    for (const kind of kinds) {
      total.ref[kind] = (total.ref[kind] ?? 0) + ref[kind];
      total.own[kind] = (total.own[kind] ?? 0) + own[kind];
    }
    rows.push(row(name, input, ref, own));
  }
  if (total.files) rows.push(row(`total of ${total.files}`, total.input, total.ref, total.own));
  print(rows);
  if (left.length) console.log(`\nNot compared, because one of the two gives no file:\n${left.map((name) => `  ${name}`).join('\n')}`);

  function row(name, input, ref, own) {
    const parts = kinds.slice(1).flatMap((kind) => [number(ref[kind]), number(own[kind])]);
    return [name, number(input), number(ref.bytes), number(own.bytes), ratio(own.bytes, ref.bytes), ...parts];
  }
}

function heavy() {
  const folder = reference();
  const input = path.join(temporary, 'heavy.vrm');
  const made = spawnSync(process.execPath, [path.join(folder, 'make-heavy.mjs'), path.resolve(options.donor), input], { stdio: ['ignore', 2, 2] });
  if (made.status !== 0) fail('the heavy avatar cannot be made');
  const outs = ['ref', 'own'].map((name) => path.join(temporary, `${name}.vrm`));
  const runs = outs.map(() => []);
  for (let i = 0; i < Number(options.runs); i++) {
    [theirs(folder), ours].forEach((command, side) => {
      const run = measure(command(input, outs[side], ['2048']));
      if (!run.ok) fail(`${side ? 'companion-build' : 'the reference'} fails`);
      runs[side].push(run);
    });
  }
  const median = (side, key) => runs[side].map((run) => run[key]).sort((a, b) => a - b)[runs[side].length >> 1];
  const least = (side, key) => Math.min(...runs[side].map((run) => run[key]));
  const rows = [['', 'reference', 'ours', 'ours/ref']];
  const add = (name, ref, own, digits) => rows.push([name, ref.toFixed(digits), own.toFixed(digits), ratio(own, ref)]);
  add('wall, median s', median(0, 'wall'), median(1, 'wall'), 2);
  add('wall, best s', least(0, 'wall'), least(1, 'wall'), 2);
  add('CPU (user + system), median s', median(0, 'cpu'), median(1, 'cpu'), 2);
  add('CPU (user + system), best s', least(0, 'cpu'), least(1, 'cpu'), 2);
  add('peak memory, median MiB', median(0, 'peak'), median(1, 'peak'), 0);
  const [ref, own] = outs.map(sizes);
  for (const kind of ['bytes', 'textures', 'geometry', 'json']) {
    rows.push([kind === 'bytes' ? 'bytes' : `of these ${kind === 'json' ? 'JSON' : kind}`, number(ref[kind]), number(own[kind]), ratio(own[kind], ref[kind])]);
  }
  console.log(`${number(fs.statSync(input).size)} bytes in, textures capped at 2048 pixels, ${options.runs} runs in turn`);
  print(rows);
}

if (!fs.existsSync(options.binary)) fail(`${options.binary} is not there: cargo build --release`);
options.heavy ? heavy() : table();
