// What differs between two files, how much of it is allowed, and the worst that was seen.

// Everything that may differ, and by how much: [limit, unit]. Override with --tol KEY=NUMBER.
export const TOLERANCE = {
  boneRest: [0.1, 'mm'], // humanoid bones, rest pose
  boneMotion: [0.2, 'mm'], // humanoid bones and constrained nodes while moving
  boneTurn: [0.1, 'deg'], // their world rotation
  springMotion: [0.5, 'mm'], // spring bones while moving
  springTurn: [0.5, 'deg'],
  vertexRest: [0.5, 'mm'], // every vertex of AFTER against BEFORE's vertex at that place
  vertexPosed: [2, 'mm'], // the same vertices in the posed frame (skin weights, joints)
  expressionMove: [0.5, 'mm'], // the same vertices under each expression at weight 1
  optimised: [0.5, 'mm'], // posed vertices after VRMUtils' optimisations against the same file without
  meshBox: [1, 'mm'], // world bounding box of each mesh
  triangles: [0.02, 'of count'], // triangles per mesh, and seen by first- and third-person cameras
  number: [0.002, ''], // material, spring and lookAt numbers, relative to max(1, |value|)
  texture: [10, '/255'], // mean difference of a texture scaled to 8x8
  psnr: [30, 'dB'], // each picture, over the subject only (at least)
  ssim: [0.93, ''], // (at least)
  differing: [0.02, 'of subject'], // pixelmatch, threshold 0.1
  expressionEffect: [0.5, 'of effect'], // change made by an expression: 0 same, 1 dead, 2 opposite
  seen: [100, 'levels'], // an expression that changes less than this in BEFORE counts as invisible
};

/** `KEY=N,..` as an object. */
export function tolerances(text) {
  const tol = {};
  for (const pair of text.split(',').filter(Boolean)) {
    const [key, value] = pair.split('=');
    const bad = !(key in TOLERANCE) || Number.isNaN(Number(value));
    if (bad) throw new Error(`--tol: bad ${pair}; keys: ${Object.keys(TOLERANCE).join(' ')}`);
    tol[key] = Number(value);
  }
  return tol;
}

export const round = (x) => Math.round(x * 1e4) / 1e4;
const show = (x) => {
  const s = JSON.stringify(x) ?? 'none';
  return s.length > 120 ? `${s.slice(0, 117)}...` : s;
};

/** Collects what differs. */
export class Findings {
  failures = [];
  notes = [];
  measured = {};
  pictures = [];

  constructor(tol, allow) {
    this.tol = { ...Object.fromEntries(Object.entries(TOLERANCE).map(([k, [v]]) => [k, v])), ...tol };
    this.allow = new Set(allow);
  }

  /** Something differs. */
  fail(key, text) {
    (this.allow.has(key) ? this.notes : this.failures).push({ key, text });
  }

  /** Something that may differ. */
  note(key, text) {
    this.notes.push({ key, text });
  }

  /** Keeps the worst value of a measure; fails when it is past its limit (also when it is not a number). */
  limit(key, value, where, atLeast = false) {
    const m = (this.measured[key] ??= { worst: value, where, limit: this.tol[key], unit: TOLERANCE[key][1] });
    if (atLeast ? value < m.worst : value > m.worst) Object.assign(m, { worst: value, where });
    const within = atLeast ? value >= m.limit : value <= m.limit;
    if (!within) this.fail(key, `${where}: ${round(value)} ${m.unit} (limit ${atLeast ? 'at least ' : ''}${m.limit})`);
  }

  /** Deep comparison of plain data; numbers within tolerance. */
  same(a, b) {
    if (typeof a === 'number' && typeof b === 'number') return a === b || Math.abs(a - b) <= this.tol.number * Math.max(1, Math.abs(a));
    if (!a || !b || typeof a !== 'object' || typeof b !== 'object') return a === b;
    return Array.isArray(a) === Array.isArray(b) && Object.keys({ ...a, ...b }).every((k) => this.same(a[k], b[k]));
  }

  /** Fails for each property of a that differs in b. */
  fields(key, what, a, b, names = Object.keys({ ...a, ...b })) {
    for (const k of names) this.equal(key, `${what} ${k}`, a[k], b[k]);
  }
  /** Fails when two values differ. */
  equal(key, what, a, b) {
    if (!this.same(a, b)) this.fail(key, `${what}: ${show(a)} became ${show(b)}`);
  }

  /** Compares two keyed collections: what went, what came, what changed. */
  keyed(key, what, a, b, each = (x, y, name) => this.equal(key, `${what} ${name}`, x, y)) {
    for (const name of Object.keys(a)) {
      if (name in b) each(a[name], b[name], name);
      else this.fail(key, `${what} ${name} is missing`);
    }
    for (const name of Object.keys(b)) if (!(name in a)) this.fail(key, `${what} ${name} is new`);
  }

  /** Compares two pictures of textures, each scaled to 8x8. */
  image(where, a, b) {
    if (!a || !b) {
      if (!!a !== !!b) this.fail('texture', `${where}: image ${a ? 'is missing' : 'is new'}`);
      return;
    }
    const [before, after] = [a, b].map((image) => `${image.width}x${image.height}`);
    if (before !== after) this.note('textureSize', `${where}: ${before} became ${after}`);
    if (!a.pixels || !b.pixels) return;
    const difference = a.pixels.reduce((sum, x, i) => sum + Math.abs(x - b.pixels[i]), 0);
    this.limit('texture', difference / a.pixels.length, where);
  }
}
