// node check.mjs BEFORE.vrm AFTER.vrm [--out DIR] [--json] [--quick] [--allow KEY,..] [--tol KEY=N,..]
// Does AFTER behave like BEFORE in three.js + three-vrm? Exit 0: yes. 1: it differs. 2: usage or crash.
import { mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startClient, cameras } from './client.mjs';
import { compareFacts, compareMotion, compareVertices, counted, inFace, row, worstMove } from './compare.mjs';
import { Findings, round, tolerances } from './findings.mjs';
import { comparePictures, decodePng, effect, floats, matchPoints, sideBySide } from './metrics.mjs';

const VIEWS = ['front', 'back', 'side', 'face'];
const EMOTIONS = ['happy', 'angry', 'sad', 'relaxed', 'surprised'];

/** BEFORE itself does not load in three-vrm: there is nothing to compare with. */
export class NotLoadable extends Error {}

/** One comparison: a page for each file, driven through the same steps. */
class Comparison {
  constructor(findings, pages, urls, { out, quick }) {
    Object.assign(this, { findings, pages, urls, out, quick, size: quick ? 256 : 512 });
  }

  /** Calls a method of the client in both pages. */
  both(name, ...args) {
    return Promise.all(this.pages.map((page) => page.call(name, ...args)));
  }

  /** The same, where the client may fail: { error } then. */
  attempt(name, args) {
    const message = (e) => e.message.split('\n')[0].replace('page.evaluate: ', '');
    return Promise.all(this.pages.map((page, i) => page.call(name, ...args(i)).catch((e) => ({ error: message(e) }))));
  }

  shoot(views, options = {}) {
    const cams = Object.fromEntries(views.map((view) => [view, this.cams[view]]));
    return this.both('shoot', cams, { size: this.size, ...options });
  }

  async points() {
    return (await this.both('points')).map(floats);
  }

  /** Takes and compares pictures. */
  async pictures(label, views, options) {
    const shots = await this.shoot(views, options);
    for (const view of views) {
      const [a, b] = shots.map((shot) => decodePng(shot[view]));
      const { psnr, ssim, differing } = comparePictures(a, b);
      const picture = `${label}-${view}`;
      const f = this.findings;
      f.pictures.push({ picture, psnr: round(psnr), ssim: round(ssim), differing: round(differing) });
      f.limit('psnr', psnr, picture, true);
      f.limit('ssim', ssim, picture, true);
      f.limit('differing', differing, picture);
      if (this.out) writeFileSync(join(this.out, `${picture}.png`), sideBySide(a, b));
    }
  }

  async run() {
    const [a, b] = await this.attempt('open', (i) => [this.urls[i]]);
    if (a.error) throw new NotLoadable(a.error);
    if (b.error) return this.findings.fail('load', `does not load: ${b.error}`);
    const facts = await this.both('facts');
    const [lo, hi] = facts[0].box;
    this.facts = facts[0];
    this.cams = cameras(this.facts);
    this.cell = 0.003 * (hi[1] - lo[1]);
    this.shared = Object.keys(facts[0].expressions).filter((name) => name in facts[1].expressions);
    this.emotions = EMOTIONS.filter((name) => this.shared.includes(name));
    compareFacts(this.findings, ...facts);

    await this.pictures('rest', VIEWS);
    this.rest = await this.points();
    const moves = await this.expressions();
    compareMotion(this.findings, ...(await this.both('simulate')));
    await this.pictures('posed', VIEWS);
    this.posed = await this.points();
    compareVertices(this.findings, this.rest, this.posed, moves, this.cell);

    if (this.facts.firstPerson.length) await this.firstPerson();
    if (!this.quick) await this.optimised();
  }

  /** What each expression does to the face (and to the whole body where it reaches further); gives its displacements. */
  async expressions() {
    const small = { size: 256 };
    const plain = (await this.shoot(['front', 'face'], small)).map((shot) => ({
      front: decodePng(shot.front),
      face: decodePng(shot.face),
    }));
    const moves = {};
    for (const name of this.shared) {
      moves[name] = await this.both('displacement', name);
      const { color, textureTransform } = this.facts.expressions[name].binds;
      const onlyFace = !color && !textureTransform && inFace(moves[name][0], this.rest[0], this.cams.face);
      const views = onlyFace ? ['face'] : ['front', 'face'];
      const shots = await this.shoot(views, { ...small, expression: name });
      this.expressionEffect(
        name,
        views.map((v) => effect(plain[0][v], decodePng(shots[0][v]), plain[1][v], decodePng(shots[1][v]))),
      );
      if (this.emotions.includes(name)) await this.pictures(name, this.quick ? ['face'] : VIEWS, { expression: name });
    }
    return moves;
  }

  expressionEffect(name, effects) {
    const f = this.findings;
    const clearest = effects.reduce((x, y) => (y.before > x.before ? y : x));
    if (clearest.before > f.tol.seen) f.limit('expressionEffect', clearest.miss / clearest.before, name);
    else if (Math.max(...effects.map((x) => x.after)) > 3 * f.tol.seen) {
      f.fail('expressionEffect', `${name}: does nothing visible before, but does after`);
    }
  }

  async firstPerson() {
    const f = this.findings;
    const [a, b] = await this.attempt('firstPerson', () => []);
    if (a.error) return f.note('firstPerson', `first-person split fails before: ${a.error}; after: ${b.error ?? 'works'}`);
    if (b.error) return f.fail('firstPerson', `first-person split fails: ${b.error}`);
    for (const k of ['first', 'third']) {
      f.limit('triangles', Math.abs(b[k] - a[k]) / Math.max(1, a[k]), `${k}-person camera (${a[k]} became ${b[k]})`);
    }
    await this.pictures('firstperson', ['eyes', 'front'], { layer: a.layer });
  }

  /** What many apps call after loading: AFTER must survive it as BEFORE does. */
  async optimised() {
    const f = this.findings;
    const [a, b] = await this.attempt('open', (i) => [this.urls[i], { optimise: true }]);
    if (a.error) return;
    if (b.error) return f.fail('appPath', `VRMUtils optimisations fail: ${b.error}`);
    await this.pictures('optimised-rest', ['front']);
    for (const name of this.emotions) await this.pictures(`optimised-${name}`, ['face'], { expression: name });
    const rest = await this.points();
    await this.both('simulate');
    await this.pictures('optimised-posed', ['front']);
    const [before, after] = (await this.points()).map((posed, i) => {
      const { near } = matchPoints(this.rest[i], rest[i], this.cell, 0.00005);
      return worstMove(near, row(this.posed[i]), row(posed)).max;
    });
    f.limit('optimised', Math.max(0, after - before), `posed vertices (BEFORE itself: ${round(before)})`);
  }

  /** AFTER may warn of nothing that BEFORE does not warn of as often. */
  console() {
    const [before, after] = this.pages.map((page) => counted(page.log));
    for (const [text, n] of Object.entries(after)) if (n > (before[text] ?? 0)) this.findings.fail('console', text);
    for (const text of Object.keys(before)) this.findings.note('console', `BEFORE also says: ${text}`);
  }
}

/** Compares two files; returns the report. Several checks may share one client. Throws NotLoadable. */
export async function check(client, before, after, { out, quick = false, tol = {}, allow = [] } = {}) {
  const started = Date.now();
  const findings = new Findings(tol, allow);
  if (out) mkdirSync(out, { recursive: true });
  const pages = [await client.page(), await client.page()];
  try {
    const comparison = new Comparison(findings, pages, [before, after].map(client.serve), { out, quick });
    await comparison.run();
    comparison.console();
  } catch (e) {
    if (e instanceof NotLoadable) e.message = `${before} does not load: ${e.message}`;
    throw e;
  } finally {
    for (const page of pages) await page.close();
  }
  const { failures, notes, measured, pictures } = findings;
  const report = {
    before,
    after,
    bytes: [before, after].map((path) => statSync(path).size),
    ok: !failures.length,
    chromium: client.version,
    seconds: round((Date.now() - started) / 1000),
    failures,
    notes,
    measured,
    pictures,
  };
  if (out) writeFileSync(join(out, 'report.json'), JSON.stringify(report, null, 1));
  return report;
}

function print(report) {
  for (const [key, m] of Object.entries(report.measured)) {
    const worst = String(round(m.worst)).padStart(9);
    console.log(`${key.padEnd(17)} worst ${worst} ${m.unit.padEnd(10)} limit ${String(m.limit).padEnd(6)} at ${m.where}`);
  }
  for (const { key, text } of report.notes) console.log(`note [${key}] ${text}`);
  for (const { key, text } of report.failures) console.log(`FAIL [${key}] ${text}`);
  const [before, after] = report.bytes;
  const verdict = report.ok ? 'SAME' : `DIFFERENT (${report.failures.length})`;
  const share = round((100 * after) / before);
  console.log(`${verdict}: ${before} -> ${after} bytes (${share} %), ${report.pictures.length} pictures, ${report.seconds} s`);
}

async function main() {
  const text = { type: 'string', default: '' };
  const options = { out: { type: 'string' }, json: { type: 'boolean' }, quick: { type: 'boolean' }, allow: text, tol: text };
  const { values: opt, positionals: files } = parseArgs({ allowPositionals: true, options });
  if (files.length !== 2) {
    throw new Error('usage: node check.mjs BEFORE.vrm AFTER.vrm [--out DIR] [--json] [--quick] [--allow KEY,..] [--tol KEY=N,..]');
  }
  const tol = tolerances(opt.tol);
  const client = await startClient();
  try {
    const report = await check(client, ...files, { ...opt, tol, allow: opt.allow.split(',') });
    if (opt.json) console.log(JSON.stringify(report, null, 1));
    else print(report);
    return report.ok ? 0 : 1;
  } finally {
    await client.stop();
  }
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main().catch((e) => (console.error(e.message), 2));
}
