// What VRM 1.0 says of the fixture: every feature that check.mjs looks at.

const RANGES = ['HorizontalInner', 'HorizontalOuter', 'VerticalDown', 'VerticalUp'];

export const mtoon = ({ texture, outline }) => ({
  VRMC_materials_mtoon: {
    specVersion: '1.0',
    shadeColorFactor: [0.6, 0.4, 0.45],
    shadeMultiplyTexture: { index: texture },
    shadingShiftFactor: -0.1,
    shadingToonyFactor: 0.8,
    giEqualizationFactor: 0.9,
    outlineWidthMode: outline ? 'worldCoordinates' : 'none',
    outlineWidthFactor: outline,
    outlineColorFactor: [0.1, 0.05, 0.1],
    parametricRimColorFactor: [0.2, 0.2, 0.3],
    parametricRimFresnelPowerFactor: 4,
  },
});

const expressions = (index) => {
  const morph = (...list) => ({ morphTargetBinds: list.map((i) => ({ node: index.Face, index: i, weight: 1 })) });
  return {
    preset: {
      happy: { ...morph(0), overrideBlink: 'block' },
      blink: morph(1, 2),
      blinkLeft: morph(1),
      aa: morph(3),
      angry: { materialColorBinds: [{ material: 0, type: 'color', targetValue: [1, 0.4, 0.4, 1] }], isBinary: true },
    },
    custom: { Shift: { textureTransformBinds: [{ material: 1, scale: [1, 1], offset: [0.5, 0.25] }] } },
  };
};

const vrm = (index, bone, human) => ({
  specVersion: '1.0',
  meta: {
    name: 'Fixture',
    version: '1',
    authors: ['Fixture Maker'],
    licenseUrl: 'https://vrm.dev/licenses/1.0/',
    avatarPermission: 'everyone',
    thumbnailImage: 1,
  },
  humanoid: { humanBones: Object.fromEntries(Object.keys(human).map((name) => [name, { node: bone(name) }])) },
  firstPerson: {
    meshAnnotations: [
      { node: index.Body, type: 'auto' },
      { node: index.Face, type: 'auto' },
      { node: index.Hair, type: 'thirdPersonOnly' },
      { node: index.Badge, type: 'both' },
    ],
  },
  lookAt: {
    type: 'bone',
    offsetFromHeadBone: [0, 0.08, 0],
    ...Object.fromEntries(RANGES.map((range) => [`rangeMap${range}`, { inputMaxValue: 90, outputScale: 10 }])),
  },
  expressions: expressions(index),
});

const springs = (index, bone) => ({
  specVersion: '1.0',
  colliders: [
    { node: bone('head'), shape: { sphere: { offset: [0, 0.1, 0], radius: 0.1 } } },
    { node: bone('chest'), shape: { capsule: { offset: [0, -0.2, 0], tail: [0, 0.15, 0], radius: 0.12 } } },
  ],
  colliderGroups: [{ name: 'g', colliders: [0, 1] }],
  springs: [
    {
      name: 'hair',
      joints: [0, 1, 2, 3].map((i) => ({
        node: index[`Hair_${i}`],
        hitRadius: 0.03,
        stiffness: 1.2 - 0.2 * i,
        gravityPower: 0.2,
        gravityDir: [0, -1, 0],
        dragForce: 0.3,
      })),
      colliderGroups: [0],
    },
  ],
});

/** Makes a VRM 1.0 of the document. `human` maps bones to names of nodes. */
export function describe({ json, index }, human) {
  const bone = (name) => index[human[name]];
  json.extensionsUsed = ['KHR_materials_unlit', 'VRMC_vrm', 'VRMC_springBone', 'VRMC_node_constraint', 'VRMC_materials_mtoon'];
  json.extensions = { VRMC_vrm: vrm(index, bone, human), VRMC_springBone: springs(index, bone) };
  const constraint = { roll: { source: bone('leftHand'), rollAxis: 'X', weight: 0.5 } };
  json.nodes[index.Twist].extensions = { VRMC_node_constraint: { specVersion: '1.0', constraint } };
}
