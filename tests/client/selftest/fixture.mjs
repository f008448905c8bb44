// node selftest/fixture.mjs OUT.vrm 0|1 : a small avatar with every VRM feature check.mjs looks at, the same bytes each time.
import { Builder } from './builder.mjs';
import { writeGlb } from './glb.mjs';
import { bump, joined, moved, tube } from './shapes.mjs';
import * as vrm0 from './vrm0.mjs';
import * as vrm1 from './vrm1.mjs';

/** Adds the nodes; gives the humanoid bones by name. VRM 0.x faces -Z (`forward` -1), 1.0 faces +Z. */
function skeleton(b, forward) {
  b.node('Root', null, [0, 0, 0]);
  b.node('J_Hips', 'Root', [0, 0.9, 0]);
  b.node('J_Spine', 'J_Hips', [0, 1.05, 0]);
  b.node('J_Chest', 'J_Spine', [0, 1.2, 0]);
  b.node('J_Neck', 'J_Chest', [0, 1.38, 0]);
  b.node('J_Head', 'J_Neck', [0, 1.45, 0]);
  const human = { hips: 'J_Hips', spine: 'J_Spine', chest: 'J_Chest', neck: 'J_Neck', head: 'J_Head' };
  const sides = { left: forward, right: -forward };
  for (const [side, d] of Object.entries(sides)) {
    const bone = (part, parent, position) => {
      const name = `J_${side}${part}`;
      b.node(name, parent, position);
      human[`${side}${part}`] = name;
      return name;
    };
    bone('Eye', 'J_Head', [0.035 * d, 1.53, 0.07 * forward]);
    bone('Hand', bone('LowerArm', bone('UpperArm', 'J_Chest', [0.15 * d, 1.32, 0]), [0.38 * d, 1.32, 0]), [0.6 * d, 1.32, 0]);
    bone('Foot', bone('LowerLeg', bone('UpperLeg', 'J_Hips', [0.09 * d, 0.85, 0]), [0.09 * d, 0.45, 0]), [0.09 * d, 0.08, 0]);
  }
  b.node('Twist', 'J_leftLowerArm', [0.5 * sides.left, 1.32, 0]);
  b.node('Hair_0', 'J_Head', [0, 1.6, -0.1 * forward]);
  b.node('Hair_1', 'Hair_0', [0, 1.48, -0.16 * forward]);
  b.node('Hair_2', 'Hair_1', [0, 1.34, -0.18 * forward]);
  b.node('Hair_3', 'Hair_2', [0, 1.2, -0.18 * forward]);
  b.skin('J_Hips');
  return human;
}

/** Adds the textures: a checker with a gradient, a gradient, and one with an alpha edge; gives what the materials are made of. */
function materials(b) {
  const skin = b.texture((x, y) => [230, 190 + (y >> 2), 150 + (((x >> 4) + (y >> 4)) % 2) * 40, 255]);
  const cloth = b.texture((x, y) => [60 + x, 90, 60 + y, 255]);
  const hair = b.texture((x, y) => [90, 40 + (y >> 1), 30, (x + y) % 64 < 44 ? 255 : 0]);
  return [
    { name: 'Skin', texture: skin, alphaMode: 'OPAQUE', outline: 0.002 },
    { name: 'Cloth', texture: cloth, alphaMode: 'OPAQUE', outline: 0.004 },
    { name: 'HairMat', texture: hair, alphaMode: 'MASK', outline: 0 },
  ];
}

function meshes(b, forward) {
  const [skin, cloth, hair] = [0, 1, 2];
  const end = (name) => [b.at[name], b.joint(name)];
  const between = (from, to, radius, sides, rows) => tube(end(from), end(to), radius, sides, rows);
  const limbs = ['left', 'right'].flatMap((side) => [
    [`J_${side}UpperArm`, `J_${side}LowerArm`, 0.05],
    [`J_${side}LowerArm`, `J_${side}Hand`, 0.045],
    [`J_${side}UpperLeg`, `J_${side}LowerLeg`, 0.075],
    [`J_${side}LowerLeg`, `J_${side}Foot`, 0.06],
  ]);
  const body = [['J_Hips', 'J_Chest', 0.13], ['J_Chest', 'J_Neck', 0.14], ...limbs];
  const bodyShape = joined(body.map(([from, to, radius]) => between(from, to, radius, 20, 12)));
  b.mesh('Body', [b.primitive(bodyShape, cloth), b.primitive(between('J_Neck', 'J_Head', 0.05, 16, 4), skin)]);

  const left = forward;
  const morphs = {
    smile: bump(0, 1.48, 0.06, [0, 0.02, 0.01], forward),
    blinkL: bump(0.035 * left, 1.53, 0.03, [0, -0.02, 0.004], forward),
    blinkR: bump(-0.035 * left, 1.53, 0.03, [0, -0.02, 0.004], forward),
    aa: bump(0, 1.47, 0.05, [0, -0.03, 0.015], forward),
  };
  const head = b.joint('J_Head');
  b.mesh('Face', [b.primitive(tube([b.at.J_Head, head], [[0, 1.68, 0], head], 0.11, 40, 40), skin, { morphs })]);

  const strand = [0, 1, 2].map((i) => between(`Hair_${i}`, `Hair_${i + 1}`, 0.06 - 0.01 * i, 14, 8));
  b.mesh('Hair', [b.primitive(joined(strand), hair)]);

  const offset = [0, 0.08, 0.15 * forward];
  const badge = moved(between('J_Hips', 'J_Chest', 0.13, 12, 6), (x, axis) => (x - b.at.J_Chest[axis]) * 0.25 + offset[axis]);
  b.mesh('Badge', [b.primitive(badge, cloth, { skinned: false })], { skinned: false, parent: 'J_Chest' });
}

/** The avatar as VRM 0.x (0) or 1.0 (1). */
export function fixture(version) {
  const b = new Builder();
  const forward = version === 0 ? -1 : 1;
  const human = skeleton(b, forward);
  const list = materials(b);
  meshes(b, forward);
  b.json.materials = list.map((material) => ({
    name: material.name,
    alphaMode: material.alphaMode,
    doubleSided: material.alphaMode === 'MASK',
    pbrMetallicRoughness: { baseColorTexture: { index: material.texture }, metallicFactor: 0, roughnessFactor: 0.9 },
    extensions: { KHR_materials_unlit: {}, ...(version ? vrm1.mtoon(material) : {}) },
  }));
  (version ? vrm1 : vrm0).describe(b, human, list);
  return b.finish();
}

if (process.argv[1]?.endsWith('fixture.mjs')) writeGlb(process.argv[2], fixture(Number(process.argv[3])));
