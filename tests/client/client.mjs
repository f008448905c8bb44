// Bundles page.js, serves it and the given files on loopback, and drives headless Chromium.
import { createServer } from 'node:http';
import { readFileSync, existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
// Messages of the software GPU, not of the client under test.
const GPU_NOISE = /GPU stall due to ReadPixels|GL Driver Message|Automatic fallback to software WebGL/;

const PAGE = '<!doctype html><link rel="icon" href="data:,"><body style="margin:0"><script type="module" src="/page.js"></script>';
const transcoder = join(here, 'node_modules/three/examples/jsm/libs/basis');
const CHROMIUM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const dir of (process.env.PATH ?? '').split(delimiter)) {
    const found = CHROMIUM_NAMES.map((name) => join(dir, name)).find(existsSync);
    if (found) return found;
  }
  throw new Error('no Chromium found: apt-get install chromium, or set CHROMIUM');
}

/** Starts Chromium and a server for its pages (`entry`: what runs inside them); stop() ends both. */
export async function startClient({ entry = 'page.js' } = {}) {
  const options = { entryPoints: [join(here, entry)], bundle: true, format: 'esm', write: false, logLevel: 'error' };
  const bundle = (await build(options)).outputFiles[0].text;
  const files = [];
  const server = createServer((req, res) => {
    const path = new URL(req.url, 'http://loopback').pathname;
    const file = /^\/file\/(\d+)$/.exec(path);
    const basis = /^\/basis\/(basis_transcoder\.(js|wasm))$/.exec(path);
    const send = (type, body) => {
      res.writeHead(200, { 'content-type': type });
      res.end(body);
    };
    if (path === '/') send('text/html', PAGE);
    else if (path === '/page.js') send('text/javascript', bundle);
    else if (file && files[file[1]]) send('model/gltf-binary', readFileSync(files[file[1]]));
    else if (basis) send(basis[2] === 'js' ? 'text/javascript' : 'application/wasm', readFileSync(join(transcoder, basis[1])));
    else res.writeHead(404).end();
  });
  await new Promise((r) => server.listen(0, '127.0.0.1', r));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const browser = await chromium.launch({
    executablePath: findChromium(),
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

  /** A page of its own. Call methods of window.rc with call(name, ...args). */
  async function page() {
    const context = await browser.newContext({ viewport: { width: 520, height: 520 } });
    const p = await context.newPage();
    const log = [];
    p.setDefaultTimeout(600000);
    p.on('console', (m) => {
      if (['warning', 'error'].includes(m.type()) && !GPU_NOISE.test(m.text())) log.push(`${m.type()}: ${m.text().replaceAll(origin, '')}`);
    });
    p.on('pageerror', (e) => log.push(`error: ${e.message}`));
    await p.goto(origin);
    await p.waitForFunction(() => window.rc);
    return { log, call: (name, ...args) => p.evaluate(([n, a]) => window.rc[n](...a), [name, args]), close: () => context.close() };
  }
  const serve = (path) => {
    readFileSync(path);
    files.push(path);
    return `/file/${files.length - 1}`;
  };
  const stop = async () => {
    await browser.close();
    server.close();
  };
  return { page, serve, stop, version: browser.version() };
}

/** Cameras around the box of a model that faces +Z after rotateVRM0. */
export function cameras({ box: [lo, hi], bones, lookAt }) {
  const mid = lo.map((x, i) => (x + hi[i]) / 2);
  const high = hi[1] - lo[1];
  const reach = Math.max(high, hi[0] - lo[0], 0.2);
  const far = (reach * 0.55) / Math.tan((15 * Math.PI) / 180) + (hi[2] - lo[2]) / 2;
  const head = bones.head?.rest ?? [mid[0], hi[1] - high * 0.1, mid[2]];
  const scale = high / 1.6;
  const face = [head[0], head[1] + Math.max(0.04 * scale, Math.min(0.1 * scale, (hi[1] - head[1]) * 0.4)), head[2]];
  const off = lookAt?.offsetFromHeadBone ?? [0, 0.06, 0];
  const eye = [head[0], head[1] + off[1], head[2] + Math.abs(off[2])];
  return {
    front: { from: [mid[0], mid[1], mid[2] + far], to: mid, fov: 30 },
    back: { from: [mid[0], mid[1], mid[2] - far], to: mid, fov: 30 },
    side: { from: [mid[0] + far, mid[1], mid[2]], to: mid, fov: 30 },
    face: { from: [face[0], face[1], face[2] + 0.75 * scale], to: face, fov: 24 },
    nice: { from: [mid[0] + far * 0.42, mid[1] + high * 0.12, mid[2] + far * 0.9], to: mid, fov: 30 },
    eyes: { from: eye, to: [eye[0], eye[1] - 0.8, eye[2] + 0.6], fov: 75 },
  };
}
