// Compares what three-vrm made of two files: facts, motion and vertices. Pictures are compared in metrics.mjs.
import { floats, matchPoints, words } from './metrics.mjs';

const finite = (p) => p.every(Number.isFinite);
/** Millimetres between two points; two broken points (NaN in both files) are at the same place. */
const mm = (a, b) => {
  const d = 1000 * Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  return Number.isFinite(d) || finite(a) || finite(b) ? d : 0;
};
/** Degrees between two unit quaternions (of which q and -q are the same turn). */
const degrees = (p, q) => {
  const chord = (sign) => Math.hypot(...p.map((x, i) => x + sign * q[i]));
  const d = (360 / Math.PI) * Math.asin(Math.min(1, Math.min(chord(-1), chord(1)) / 2));
  return Number.isFinite(d) || finite(p) || finite(q) ? d : 0;
};
/** How often each text occurs. */
export const counted = (list) => {
  const counts = {};
  for (const text of list) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
};
const byName = (meshes) => {
  const firstOf = (name) => meshes.findIndex((m) => m.name === name);
  return Object.fromEntries(meshes.map((m, i) => [firstOf(m.name) === i ? m.name : `${m.name}#${i}`, m]));
};

function compareNodes(f, a, b) {
  const gone = a.filter((n) => !b.includes(n));
  const came = b.filter((n) => !a.includes(n));
  if (gone.length) f.fail('nodes', `nodes missing: ${gone.join(', ')}`);
  if (came.length) f.fail('nodes', `nodes new: ${came.join(', ')}`);
}

function compareMaterial(f, a, b, name) {
  f.fields('materials', `material ${name}`, a, b, ['type']);
  f.keyed('materials', `material ${name}:`, a.params, b.params);
  f.keyed('materials', `material ${name}: texture`, a.textures, b.textures, (s, t, slot) => {
    f.fields('materials', `material ${name} ${slot}`, s, t, ['state']);
    f.fields('uvTransform', `material ${name} ${slot}`, s, t, ['transform']);
    f.image(`material ${name} ${slot}`, s.image, t.image);
  });
}

function compareMesh(f, a, b, name) {
  f.fields('meshes', `mesh ${name}`, a, b, ['skinned', 'materials', 'renderOrder']);
  for (const k of ['morphs', 'vertices']) if (a[k] !== b[k]) f.note('meshes', `mesh ${name}: ${a[k]} ${k} became ${b[k]}`);
  const lost = a.triangles ? Math.abs(b.triangles - a.triangles) / a.triangles : b.triangles;
  f.limit('triangles', lost, `mesh ${name} (${a.triangles} became ${b.triangles})`);
  if (a.box && b.box) f.limit('meshBox', Math.max(mm(a.box[0], b.box[0]), mm(a.box[1], b.box[1])), `mesh ${name}`);
}

/** Everything that the loaded files say of themselves. */
export function compareFacts(f, a, b) {
  f.fields('meta', 'meta', a.meta, b.meta);
  f.image('thumbnail', a.thumbnail, b.thumbnail);
  f.keyed('bones', 'humanoid bone', a.bones, b.bones, (x, y, name) => {
    if (x.node !== y.node) f.fail('boneNames', `humanoid bone ${name}: node ${x.node} became ${y.node}`);
    f.limit('boneRest', mm(x.rest, y.rest), name);
  });
  compareNodes(f, a.nodes, b.nodes);
  f.keyed('expressions', 'expression', a.expressions, b.expressions);
  f.fields('lookAt', 'lookAt', a.lookAt ?? {}, b.lookAt ?? {});
  f.keyed('firstPerson', 'first-person annotation', counted(a.firstPerson), counted(b.firstPerson));
  f.keyed('springJoints', 'spring joint', a.spring.joints, b.spring.joints, (x, y, name) =>
    f.fields('springJoints', `spring joint ${name}`, x, y),
  );
  f.keyed('springColliders', 'spring collider', a.spring.colliders, b.spring.colliders);
  f.keyed('constraints', 'node constraint', counted(a.constraints), counted(b.constraints));
  f.keyed('materials', 'material', a.materials, b.materials, (x, y, name) => compareMaterial(f, x, y, name));
  f.keyed('meshes', 'mesh', byName(a.meshes), byName(b.meshes), (x, y, name) => compareMesh(f, x, y, name));
}

/** The worst difference in place and turn of each bone over the frames of the scripted motion. */
export function compareMotion(f, a, b) {
  const at = new Map(b.names.map((name, i) => [name, i]));
  a.names.forEach((name, i) => {
    const j = at.get(name);
    if (j === undefined) return; // reported as a missing bone, joint or constraint
    let move = 0;
    let turn = 0;
    a.frames.forEach((frame, t) => {
      const [p, q] = [frame[i], b.frames[t][j]];
      move = Math.max(move, mm(p, q));
      turn = Math.max(turn, degrees(p.slice(3), q.slice(3)));
    });
    const kind = a.kinds[i] === 'spring' ? 'spring' : 'bone';
    f.limit(`${kind}Motion`, move, name);
    f.limit(`${kind}Turn`, turn, name);
  });
}

/** Largest over the second file's vertices of the smallest difference to a first file's vertex at that place. */
export function worstMove(near, ofA, ofB) {
  let max = 0;
  let where = 0;
  near.forEach((candidates, i) => {
    if (!candidates.length) return; // nothing of the first file is there: vertexRest says so
    const q = ofB(i);
    let min = Infinity; // stays so when the second file's vertex became NaN
    for (const j of candidates) {
      const d = mm(ofA(j), q);
      if (d < min) min = d;
    }
    if (min > max) [max, where] = [min, i];
  });
  return { max, where };
}

/** Gives the i-th point of packed coordinates. */
export const row = (packed) => (i) => packed.subarray(3 * i, 3 * i + 3);

/** Gives the displacement of vertex i from sparse ones. */
function sparse(move) {
  const delta = row(floats(move.delta));
  const at = new Map([...words(move.index)].map((vertex, k) => [vertex, delta(k)]));
  return (i) => at.get(i) ?? [0, 0, 0];
}

/** Vertices are matched by place, so reordering, welding, splitting and merging do not matter. */
export function compareVertices(f, rest, posed, moves, cell) {
  const { dist, near } = matchPoints(rest[0], rest[1], cell, 0.00005);
  const far = dist.reduce((worst, d, i) => (d > dist[worst] ? i : worst), 0);
  if (dist.length) f.limit('vertexRest', 1000 * dist[far], `vertex ${far} of ${dist.length}`);
  const compare = (key, label, ofA, ofB) => {
    const worst = worstMove(near, ofA, ofB);
    f.limit(key, worst.max, `${label}vertex ${worst.where}`);
  };
  compare('vertexPosed', '', row(posed[0]), row(posed[1]));
  for (const [name, pair] of Object.entries(moves)) compare('expressionMove', `${name}: `, ...pair.map(sparse));
}

/** Does an expression move vertices only within the face close-up? */
export function inFace(move, points, camera) {
  const radius = Math.tan((camera.fov * Math.PI) / 360) * (camera.from[2] - camera.to[2]);
  const [x, y] = camera.to;
  return [...words(move.index)].every((v) => Math.hypot(points[3 * v] - x, points[3 * v + 1] - y) < radius);
}
