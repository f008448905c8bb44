// A dressed figure for the cover check: a body of tubes in a robe, boots, gloves and a hood, and a shirt that is only a material of the
// body's mesh. VRM 1.0, looks to +Z, in T-pose.
import { Builder } from './builder.mjs';

const SIDES = 28;
const PLACES = {
  hips: ['Root', [0, 0.95, 0]],
  spine: ['hips', [0, 1.08, 0]],
  chest: ['spine', [0, 1.22, 0]],
  neck: ['chest', [0, 1.42, 0]],
  head: ['neck', [0, 1.5, 0]],
  ...Object.fromEntries(
    [['left', 1], ['right', -1]].flatMap(([side, x]) => [
      [`${side}UpperArm`, ['chest', [0.18 * x, 1.36, 0]]],
      [`${side}LowerArm`, [`${side}UpperArm`, [0.44 * x, 1.36, 0]]],
      [`${side}Hand`, [`${side}LowerArm`, [0.68 * x, 1.36, 0]]],
      [`${side}UpperLeg`, ['hips', [0.09 * x, 0.9, 0]]],
      [`${side}LowerLeg`, [`${side}UpperLeg`, [0.09 * x, 0.5, 0]]],
      [`${side}Foot`, [`${side}LowerLeg`, [0.09 * x, 0.08, 0]]],
    ]),
  ),
};

const blend = (stops, at) => {
  const next = stops.findIndex(([place]) => place >= at);
  if (next < 1) return next === 0 ? stops[0][1] : stops.at(-1)[1];
  const [[a, from], [b, to]] = [stops[next - 1], stops[next]];
  return from + ((to - from) * (at - a)) / (b - a);
};

/** Weights along a chain of [joint, where it begins]: each takes over within four centimetres. */
const chain = (joints) => (at) => {
  let weights = [[joints[0][0], 1]];
  for (const [joint, start] of joints.slice(1)) {
    const t = Math.min(1, Math.max(0, (at - start + 0.04) / 0.08));
    weights = [...weights.map(([j, w]) => [j, w * (1 - t)]), [joint, t]];
  }
  return weights.filter(([, w]) => w > 0).sort((a, b) => b[1] - a[1]).slice(0, 4);
};

/** A tube along an axis (0 x, 1 y) through `middle`, from `low` to `high`; its radius is given at stops; closed where `caps` says. */
function tube(axis, middle, [low, high], radii, weights, caps = [false, false]) {
  const shape = { positions: [], normals: [], uvs: [], joints: [], weights: [], indices: [] };
  const rows = Math.max(4, Math.round((high - low) / 0.018));
  const add = (at, out, far) => {
    const p = [...middle];
    p[axis] = at;
    const [a, b] = axis ? [0, 2] : [2, 1];
    p[a] += out[0] * far;
    p[b] += out[1] * far;
    const own = weights(at);
    shape.positions.push(...p);
    shape.normals.push(axis ? out[0] : 0, axis ? 0 : out[1], axis ? out[1] : out[0]);
    shape.uvs.push(0, 0);
    for (let k = 0; k < 4; k++) {
      shape.joints.push(own[k]?.[0] ?? 0);
      shape.weights.push(own[k]?.[1] ?? 0);
    }
  };
  for (let row = 0; row <= rows; row++) {
    const at = low + ((high - low) * row) / rows;
    for (let side = 0; side <= SIDES; side++) {
      const angle = (2 * Math.PI * (side % SIDES)) / SIDES;
      add(at, [Math.sin(angle), Math.cos(angle)], blend(radii, at));
    }
  }
  const at = (row, side) => row * (SIDES + 1) + side;
  for (let row = 0; row < rows; row++) {
    for (let s = 0; s < SIDES; s++) {
      shape.indices.push(at(row, s), at(row, s + 1), at(row + 1, s + 1), at(row, s), at(row + 1, s + 1), at(row + 1, s));
    }
  }
  [[0, low], [rows, high]].forEach(([row, place], end) => {
    if (!caps[end]) return;
    const middleVertex = shape.positions.length / 3;
    add(place, [0, 0], 0);
    for (let s = 0; s < SIDES; s++) shape.indices.push(...(end ? [at(row, s), at(row, s + 1), middleVertex] : [at(row, s + 1), at(row, s), middleVertex]));
  });
  return shape;
}

const together = (shapes) => {
  const all = { positions: [], normals: [], uvs: [], joints: [], weights: [], indices: [] };
  for (const shape of shapes) {
    const base = all.positions.length / 3;
    for (const key of ['positions', 'normals', 'uvs', 'joints', 'weights']) all[key].push(...shape[key]);
    all.indices.push(...shape.indices.map((i) => i + base));
  }
  return all;
};

/** The outfits of the figure, as in a model.json. */
export const outfits = [
  { key: 'robe', name: 'Robe', meshes: ['Robe', 'Boots', 'Gloves', 'Hood'] },
  { key: 'shirt', name: 'Shirt', meshes: ['Boots'], materials: ['Shirt'] },
  { key: 'bare', name: 'Bare', meshes: [] },
];

/** The avatar: { json, bin } for glb.mjs. */
export function dressed() {
  const b = new Builder();
  b.node('Root', null, [0, 0, 0]);
  Object.entries(PLACES).forEach(([name, [parent, at]]) => b.node(name, parent, at));
  b.skin('hips');
  const joint = (name) => b.joint(name);
  const torso = chain([['hips', 0], ['spine', 1.08], ['chest', 1.22], ['neck', 1.42], ['head', 1.5]].map(([n, y]) => [joint(n), y]));
  // Along +x, the left arm; mirrored for the right.
  const arm = (side, x) => {
    const along = chain([['chest', 0], [`${side}UpperArm`, 0.17], [`${side}LowerArm`, 0.44], [`${side}Hand`, 0.68]].map(([n, at]) => [joint(n), at]));
    return (at) => along(at * x);
  };
  const leg = (side) => {
    const down = chain([['hips', -2], [`${side}UpperLeg`, -0.92], [`${side}LowerLeg`, -0.5], [`${side}Foot`, -0.08]].map(([n, at]) => [joint(n), at]));
    return (at) => down(-at);
  };
  const TORSO = [[0.82, 0.14], [0.95, 0.15], [1.1, 0.12], [1.25, 0.145], [1.36, 0.12], [1.42, 0.055], [1.5, 0.05], [1.56, 0.085], [1.66, 0.095], [1.74, 0.04]];
  const ARM = [[0.1, 0.06], [0.44, 0.042], [0.66, 0.032], [0.72, 0.042], [0.84, 0.025]];
  const LEG = [[0, 0.045], [0.1, 0.04], [0.35, 0.058], [0.5, 0.052], [0.92, 0.085]];
  const wider = (stops, by) => stops.map(([at, radius]) => [at, radius + by]);
  const both = (make) => together([['left', 1], ['right', -1]].map(([side, x]) => make(side, x)));
  const arms = ([low, high], radii, caps) =>
    both((side, x) => {
      const mirrored = x > 0 ? radii : radii.map(([at, r]) => [-at, r]).reverse();
      return tube(0, [0, 1.36, 0], x > 0 ? [low, high] : [-high, -low], mirrored, arm(side, x), x > 0 ? caps : [...(caps ?? [])].reverse());
    });
  const legs = (range, radii, caps) => both((side, x) => tube(1, [0.09 * x, 0, 0], range, radii, leg(side), caps));
  const material = (name, doubleSided) => b.json.materials.push({ name, doubleSided, pbrMetallicRoughness: { metallicFactor: 0 } }) - 1;
  const body = together([tube(1, [0, 0, 0], [0.82, 1.74], TORSO, torso, [true, true]), arms([0.1, 0.84], ARM, [false, true]), legs([0, 0.92], LEG, [true, false])]);
  const shirt = together([tube(1, [0, 0, 0], [0.9, 1.38], wider(TORSO, 0.009), torso), arms([0.12, 0.4], wider(ARM, 0.012))]);
  b.mesh('Body', [b.primitive(body, material('Skin', false)), b.primitive(shirt, material('Shirt', true))]);
  const ROBE = [[0.3, 0.3], [0.6, 0.25], [0.82, 0.2], ...wider(TORSO, 0.025).filter(([y]) => y > 0.9)];
  const robe = together([tube(1, [0, 0, 0], [0.3, 1.4], ROBE, torso), arms([0.11, 0.6], wider([[0.1, 0.06], [0.44, 0.05], [0.6, 0.06]], 0.015))]);
  b.mesh('Robe', [b.primitive(robe, material('Robe', true))]);
  b.mesh('Boots', [b.primitive(legs([-0.012, 0.38], wider(LEG, 0.011), [true, false]), material('Leather', false))]);
  b.mesh('Gloves', [b.primitive(arms([0.56, 0.85], wider(ARM, 0.009), [false, true]), material('Wool', true))]);
  b.mesh('Hood', [b.primitive(tube(1, [0, 0, -0.02], [1.3, 1.77], [[1.3, 0.17], [1.42, 0.12], [1.6, 0.14], [1.7, 0.12], [1.77, 0.03]], torso, [false, true]), material('Hood', true))]);
  b.json.extensionsUsed = ['VRMC_vrm'];
  const humanBones = Object.fromEntries(Object.keys(PLACES).map((name) => [name, { node: b.index[name] }]));
  b.json.extensions = { VRMC_vrm: { specVersion: '1.0', meta: { name: 'Dressed', authors: ['-'], licenseUrl: 'https://vrm.dev/licenses/1.0/' }, humanoid: { humanBones } } };
  for (const list of ['images', 'textures', 'samplers']) delete b.json[list];
  return b.finish();
}
