// Picture and point-cloud measures.
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

export const decodePng = (dataUrl) => PNG.sync.read(Buffer.from(dataUrl.split(',')[1], 'base64'));

/** Pixels that are not background in either picture (the background is the top left pixel). */
function subjectMask(a, b) {
  const n = a.width * a.height;
  const mask = new Uint8Array(n);
  let area = 0;
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < 3; c++) {
      if (Math.abs(a.data[4 * i + c] - a.data[c]) > 2 || Math.abs(b.data[4 * i + c] - a.data[c]) > 2) {
        mask[i] = 1;
        area++;
        break;
      }
    }
  }
  return { mask, area };
}
const luma = (d, i) => 0.299 * d[4 * i] + 0.587 * d[4 * i + 1] + 0.114 * d[4 * i + 2];

/** PSNR (dB, capped at 99), SSIM and pixelmatch ratio over the subject only, so empty background does not flatter. */
export function comparePictures(a, b) {
  const { width: w, height: h } = a;
  const { mask, area } = subjectMask(a, b);
  if (!area) return { psnr: 99, ssim: 1, differing: 0, area: 0 };
  let se = 0;
  for (let i = 0; i < w * h; i++) if (mask[i]) for (let c = 0; c < 3; c++) se += (a.data[4 * i + c] - b.data[4 * i + c]) ** 2;
  const psnr = se === 0 ? 99 : Math.min(99, 10 * Math.log10((255 * 255 * 3 * area) / se));
  let sum = 0;
  let windows = 0; // 8x8 windows, step 4
  for (let y = 0; y + 8 <= h; y += 4) {
    for (let x = 0; x + 8 <= w; x += 4) {
      let hit = 0;
      let sa = 0;
      let sb = 0;
      let saa = 0;
      let sbb = 0;
      let sab = 0;
      for (let j = 0; j < 8; j++) {
        for (let k = 0; k < 8; k++) {
          const i = (y + j) * w + x + k;
          const p = luma(a.data, i);
          const q = luma(b.data, i);
          hit |= mask[i];
          sa += p;
          sb += q;
          saa += p * p;
          sbb += q * q;
          sab += p * q;
        }
      }
      if (!hit) continue;
      const ma = sa / 64;
      const mb = sb / 64;
      const va = saa / 64 - ma * ma;
      const vb = sbb / 64 - mb * mb;
      const cov = sab / 64 - ma * mb;
      sum += ((2 * ma * mb + 6.5025) * (2 * cov + 58.5225)) / ((ma * ma + mb * mb + 6.5025) * (va + vb + 58.5225));
      windows++;
    }
  }
  const diff = pixelmatch(a.data, b.data, null, w, h, { threshold: 0.1 });
  return { psnr, ssim: windows ? sum / windows : 1, differing: diff / area, area };
}

/** Before, after and an amplified difference, side by side. */
export function sideBySide(a, b) {
  const { width: w, height: h } = a;
  const out = new PNG({ width: 3 * w, height: h });
  PNG.bitblt(a, out, 0, 0, w, h, 0, 0);
  PNG.bitblt(b, out, 0, 0, w, h, w, 0);
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      const i = 4 * (y * w + x);
      const o = 4 * (y * 3 * w + 2 * w + x);
      for (let c = 0; c < 3; c++) out.data[o + c] = 255 - Math.min(255, 6 * Math.abs(a.data[i + c] - b.data[i + c]));
      out.data[o + 3] = 255;
    }
  }
  return PNG.sync.write(out, { deflateLevel: 3, filterType: 1, colorType: 2 });
}

/** What an expression does to a view: how much it changes in each file, and how unlike the changes are (0 same, 1 dead,
    2 opposite). On 4x4 block means less a dead zone, so that texture compression noise does not count as a change. */
export function effect(restA, exprA, restB, exprB) {
  const w = restA.width;
  const total = { before: 0, after: 0, miss: 0 };
  const past = (x) => Math.max(0, Math.abs(x) / 16 - 1);
  for (let y = 0; y < restA.height; y += 4) {
    for (let x = 0; x < w; x += 4) {
      for (let c = 0; c < 3; c++) {
        let p = 0;
        let q = 0;
        for (let j = 0; j < 4; j++) {
          for (let k = 0; k < 4; k++) {
            const i = 4 * ((y + j) * w + x + k) + c;
            p += exprA.data[i] - restA.data[i];
            q += exprB.data[i] - restB.data[i];
          }
        }
        total.before += past(p);
        total.after += past(q);
        total.miss += past(p - q);
      }
    }
  }
  return total;
}

export const floats = (b64) => {
  const b = Buffer.from(b64, 'base64');
  return new Float32Array(b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength));
};
export const words = (b64) => {
  const b = Buffer.from(b64, 'base64');
  return new Uint32Array(b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength));
};

/** For every point of `to`: the points of `from` nearest to it (and all as near within `slack`), with the distance. */
export function matchPoints(from, to, cell, slack) {
  const grid = new Map();
  const nFrom = from.length / 3;
  const nTo = to.length / 3;
  const key = (x, y, z) => (x * 73856093) ^ (y * 19349663) ^ (z * 83492791);
  const at = (p, i) => [Math.floor(p[3 * i] / cell), Math.floor(p[3 * i + 1] / cell), Math.floor(p[3 * i + 2] / cell)];
  for (let i = 0; i < nFrom; i++) {
    const k = key(...at(from, i));
    const l = grid.get(k);
    if (l) l.push(i);
    else grid.set(k, [i]);
  }
  const dist = new Float64Array(nTo);
  const near = new Array(nTo);
  for (let i = 0; i < nTo; i++) {
    const [x, y, z] = at(to, i);
    let best = Infinity;
    let found = [];
    for (let r = 1; r <= 64; r *= 2) {
      found = [];
      best = Infinity;
      for (let dx = -r; dx <= r; dx++) {
        for (let dy = -r; dy <= r; dy++) {
          for (let dz = -r; dz <= r; dz++) {
            for (const j of grid.get(key(x + dx, y + dy, z + dz)) ?? []) {
              const d = Math.hypot(from[3 * j] - to[3 * i], from[3 * j + 1] - to[3 * i + 1], from[3 * j + 2] - to[3 * i + 2]);
              if (d < best) best = d;
              found.push([j, d]);
            }
          }
        }
      }
      if (best + slack <= r * cell) break;
    }
    dist[i] = best;
    near[i] = [...new Set(found.filter(([, d]) => d <= best + slack).map(([j]) => j))];
  }
  return { dist, near };
}
