// node run.mjs --binary PATH [--fixtures] [--samples] [--quick-corpus] [--corpus] [FILE.vrm ..] (all options: README.md)
// Shrinks each avatar with the built program, then asks three.js + three-vrm whether it is still the same avatar and the
// Khronos validator whether it got worse. A line each, a table, and last 'N passed, N failed, N skipped'. Exit 0 when none failed.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { NotLoadable, check } from './check.mjs';
import { startClient } from './client.mjs';
import { round, tolerances } from './findings.mjs';
import { fixture } from './selftest/fixture.mjs';
import { writeGlb } from './selftest/glb.mjs';
import { validate, worse } from './validate.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const project = resolve(here, '../..');
const corpus = process.env.CORPUS ?? join(project, '../shared/corpus');
// Stricter than check's own limits: what this program promises, not what a viewer would forgive.
const STRICT = { vertexRest: 0.05, vertexPosed: 0.2, springMotion: 0.05 };
const SHRINK_SECONDS = 300;
const RENAMED = 'S009'; // the finding of a node that was given another name
const USAGE = `usage: node run.mjs --binary PATH [--fixtures] [--samples] [--quick-corpus] [--corpus] [FILE.vrm ..]
  [--quick] [--rerun] [--args "MORE ARGUMENTS"] [--tol KEY=N,..] [--out DIR] [--verbose]`;

/* ---------- which avatars ---------- */

const isVrm = (path) => path.toLowerCase().endsWith('.vrm');
const vrmsUnder = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .filter(isVrm)
        .sort()
        .map((path) => join(folder, path))
    : [];

/** The avatars of each mode that was asked for: { path, name, quick }, or { skipped } where there are none. */
function avatars(opt, files, folder) {
  const list = files.map((path) => ({ path, name: path }));
  const add = (paths, root, options = {}) => list.push(...paths.map((path) => ({ path, name: relative(root, path), ...options })));
  if (opt.fixtures) {
    for (const version of [0, 1]) writeGlb(join(folder, `fixture-vrm${version}.vrm`), fixture(version));
    add(vrmsUnder(folder), folder);
  }
  if (opt.samples) {
    const paths = vrmsUnder(join(project, 'samples'));
    if (paths.length) add(paths, project);
    else list.push({ skipped: 'samples: there is no .vrm under samples/' });
  }
  const named = () =>
    readFileSync(join(here, 'quick-corpus.txt'), 'utf8')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'));
  const modes = {
    'quick-corpus': () => named().map((path) => join(corpus, path)),
    corpus: () => ['vrm0', 'vrm1'].flatMap((folder) => vrmsUnder(join(corpus, folder))),
  };
  for (const [mode, paths] of Object.entries(modes)) {
    if (!opt[mode]) continue;
    if (existsSync(corpus)) add(paths(), corpus, { quick: mode === 'quick-corpus' });
    else list.push({ skipped: `${mode}: ../shared/corpus is not there` });
  }
  return list;
}

/* ---------- one avatar ---------- */

/** Runs `BINARY shrink IN OUT`; gives exit code (null: killed), findings, and what it said on standard error. */
function shrink(binary, input, output, args) {
  return new Promise((done) => {
    const options = { timeout: SHRINK_SECONDS * 1000, maxBuffer: 1 << 28 };
    execFile(binary, ['shrink', input, output, '--format', 'json', ...args], options, (error, stdout, stderr) => {
      let findings = null;
      try {
        findings = JSON.parse(stdout).findings;
      } catch {
        /* said by the caller: no findings */
      }
      const code = error ? (typeof error.code === 'number' ? error.code : null) : 0;
      done({ code, signal: error?.signal ?? null, findings, stderr: stderr.trim() || (error?.message ?? '') });
    });
  });
}

const tell = (f) => `${f.code} ${f.name ?? ''}: ${f.message ?? ''}`.trim();

/** Why three-vrm cannot load this file, or null when it can. */
async function rejection(client, path) {
  const page = await client.page();
  try {
    await page.call('open', client.serve(path));
    return null;
  } catch (e) {
    return e.message.split('\n')[0].replace('page.evaluate: ', '');
  } finally {
    await page.close();
  }
}

/** Shrinks `input` to `output`; adds to result. Gives the codes of its findings, or null when there is no output. */
async function shrinkOne(run, result, input, output) {
  const { code, signal, findings, stderr } = await shrink(run.binary, input, output, run.args);
  const errors = (findings ?? []).filter((f) => f.severity === 'error').map(tell);
  if (code === 1 && errors.length) {
    result.refused = errors.join('; ');
    const reason = await rejection(run.client, input);
    if (reason) result.skipped = `refused (${result.refused}); three-vrm rejects it too: ${reason}`;
    else result.failures.push(`refused, but three-vrm loads it: ${result.refused}`);
    return null;
  }
  const said = errors.join('; ') || stderr.split('\n').at(-1);
  const trouble =
    (code !== 0 &&
      `shrink ended with ${signal ?? `exit code ${code}`}${code === 1 ? ' without an error among its findings' : ''}: ${said}`) ||
    (!findings && 'shrink printed no JSON object with findings') ||
    (!existsSync(output) && 'shrink ended with exit code 0 but wrote nothing');
  if (trouble) {
    result.failures.push(trouble);
    return null;
  }
  result.bytes = [input, output].map((path) => statSync(path).size);
  if (result.bytes[1] > result.bytes[0]) result.failures.push(`grew from ${result.bytes[0]} to ${result.bytes[1]} bytes`);
  result.notes.push(...findings.map(tell));
  return new Set(findings.map((f) => f.code));
}

/** Is the output the same avatar for three.js + three-vrm? */
async function compareInClient(run, result, before, after, codes, options) {
  // A node that the program says it renamed differs by intent.
  const allow = codes.has(RENAMED) ? ['nodes'] : [];
  try {
    const report = await check(run.client, before, after, { tol: { ...STRICT, ...run.tol }, allow, ...options });
    result.measured = report.measured;
    result.failures.push(...report.failures.map((f) => `[${f.key}] ${f.text}`));
    result.notes.push(...report.notes.map((n) => `[${n.key}] ${n.text}`));
  } catch (e) {
    if (!(e instanceof NotLoadable)) throw e;
    result.skipped = `three-vrm rejects the original: ${e.message.split(' does not load: ').at(-1)}`;
  }
}

/** Has the output validator errors or warnings that the original has not? */
async function compareValidity(result, before, after) {
  let base;
  try {
    base = await validate(before);
  } catch (e) {
    result.notes.push(`[validator] cannot read the original: ${e.message}`);
    return;
  }
  const report = await validate(after);
  for (const code of worse(report, base)) {
    const [was, is] = [base.codes[code]?.count ?? 0, report.codes[code]];
    result.failures.push(`[validator] ${is.severity} ${code} x${is.count} (before: x${was}): ${is.first}`);
  }
}

/** A second run must find nothing left to do: not larger, and the same for the client. */
async function rerun(run, result, first, second, options) {
  const again = { failures: [], notes: [] };
  const codes = await shrinkOne(run, again, first, second);
  if (codes && !readFileSync(first).equals(readFileSync(second))) {
    result.notes.push(`second run: other bytes, ${again.bytes[0]} became ${again.bytes[1]}`);
    await compareInClient(run, again, first, second, codes, options);
    await compareValidity(again, first, second);
  }
  if (again.refused && again.skipped) again.failures.push(again.skipped);
  result.failures.push(...again.failures.map((text) => `second run: ${text}`));
}

async function examine(run, avatar, folder) {
  const result = { name: avatar.name, failures: [], notes: [], measured: {} };
  const started = Date.now();
  const [first, second] = ['shrunk.vrm', 'again.vrm'].map((name) => join(folder, name));
  const album = avatar.name.replace(/\.vrm$/i, '').replaceAll(/[^\w.-]+/g, '_');
  const options = (part) => ({ quick: run.quick || avatar.quick, out: run.out && join(run.out, album, part) });
  try {
    const codes = await shrinkOne(run, result, avatar.path, first);
    if (codes) {
      await compareInClient(run, result, avatar.path, first, codes, options(''));
      await compareValidity(result, avatar.path, first);
      if (run.rerun) await rerun(run, result, first, second, { ...options('again'), quick: true });
    }
  } catch (e) {
    result.failures.push(`the check crashed: ${e.message.split('\n')[0]}`);
    await run.client.stop().catch(() => {});
    run.client = null; // a fresh browser for the next avatar
  }
  result.verdict = result.failures.length ? 'FAILED' : result.skipped ? 'skipped' : 'passed';
  result.seconds = (Date.now() - started) / 1000;
  return result;
}

/* ---------- telling ---------- */

const COLUMNS = [
  ['vertexRest', 'mm'],
  ['vertexPosed', 'mm'],
  ['springMotion', 'mm'],
  ['psnr', 'dB'],
];
const worst = (result, key) => (key in result.measured ? `${round(result.measured[key].worst)}` : '-');
const sizes = (result) => {
  if (!result.bytes) return ['-', '-', '-'];
  const [before, after] = result.bytes;
  return [`${before}`, `${after}`, `${Math.round((100 * after) / before)} %`];
};

function tellOne(result, verbose) {
  const [before, after, share] = sizes(result);
  const numbers = COLUMNS.map(([key, unit]) => `${key} ${worst(result, key)} ${unit}`).join(', ');
  const seconds = result.seconds.toFixed(1);
  if (result.verdict === 'skipped') console.log(`skipped: ${result.name}: ${result.skipped}`);
  else if (!result.bytes) console.log(`${result.verdict} ${result.name}`);
  else console.log(`${result.verdict} ${result.name}: ${before} -> ${after} bytes (${share}), ${numbers}, ${seconds} s`);
  for (const text of result.failures) console.log(`        FAIL ${text}`);
  if (verbose) for (const text of result.notes) console.log(`        note ${text}`);
}

function table(results) {
  const rows = [['avatar', 'bytes', 'shrunk', 'share', ...COLUMNS.map(([key]) => key), 'verdict']];
  for (const r of results) {
    rows.push([r.name, ...sizes(r), ...COLUMNS.map(([key]) => worst(r, key)), r.refused ? `${r.verdict} (refused)` : r.verdict]);
  }
  const widths = rows[0].map((_, i) => Math.max(...rows.map((cells) => cells[i].length)));
  const text = (i) => i === 0 || i === rows[0].length - 1;
  const line = (cells) =>
    cells
      .map((cell, i) => (text(i) ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}

/* ---------- all ---------- */

/** Examines one avatar after the other, with one browser, and tells of each. */
async function examineAll(run, list, folder) {
  const results = [];
  try {
    for (const avatar of list) {
      run.client ??= await startClient();
      const own = mkdtempSync(join(folder, 'avatar-'));
      const result = await examine(run, avatar, own);
      rmSync(own, { recursive: true });
      tellOne(result, run.verbose);
      results.push(result);
    }
  } finally {
    await run.client?.stop();
  }
  return results;
}

async function main() {
  const flag = { type: 'boolean', default: false };
  const options = {
    binary: { type: 'string' },
    args: { type: 'string', default: '' },
    tol: { type: 'string', default: '' },
    out: { type: 'string' },
    fixtures: flag,
    samples: flag,
    'quick-corpus': flag,
    corpus: flag,
    quick: flag,
    rerun: flag,
    verbose: flag,
  };
  const { values: opt, positionals: files } = parseArgs({ allowPositionals: true, options });
  if (!opt.binary) throw new Error(USAGE);
  const args = opt.args.split(' ').filter(Boolean);
  const run = { ...opt, args, tol: tolerances(opt.tol), binary: resolve(opt.binary), client: null };
  if (!existsSync(run.binary)) throw new Error(`${opt.binary} is not there: build it first`);
  const folder = mkdtempSync(join(tmpdir(), 'companion-build-client-'));
  try {
    const list = avatars(opt, files, folder);
    if (!list.length) throw new Error(USAGE);
    const missing = list.filter((avatar) => avatar.skipped);
    for (const { skipped } of missing) console.log(`skipped: ${skipped}`);
    const results = await examineAll(
      run,
      list.filter((avatar) => !avatar.skipped),
      folder,
    );
    if (results.length) console.log(`\n${table(results)}\n`);
    if (opt.out) {
      mkdirSync(opt.out, { recursive: true });
      writeFileSync(join(opt.out, 'results.json'), JSON.stringify(results, null, 1));
    }
    const count = (verdict) => results.filter((r) => r.verdict === verdict).length;
    console.log(`${count('passed')} passed, ${count('FAILED')} failed, ${count('skipped') + missing.length} skipped`);
    return count('FAILED') ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main().catch((e) => (console.error(e.message), 2));
