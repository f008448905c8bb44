// What VRM 0.x says of the fixture: every feature that check.mjs looks at.

const RANGES = ['HorizontalInner', 'HorizontalOuter', 'VerticalDown', 'VerticalUp'];

const materialProperties = ({ name, texture, alphaMode, outline }) => ({
  name,
  shader: 'VRM/MToon',
  renderQueue: alphaMode === 'MASK' ? 2450 : 2000,
  floatProperties: {
    _Cutoff: 0.5,
    _BumpScale: 1,
    _ShadeShift: -0.1,
    _ShadeToony: 0.8,
    _OutlineWidth: outline * 100,
    _OutlineWidthMode: outline ? 1 : 0,
    _OutlineColorMode: 0,
    _BlendMode: alphaMode === 'MASK' ? 1 : 0,
    _CullMode: alphaMode === 'MASK' ? 0 : 2,
    _SrcBlend: 1,
    _DstBlend: 0,
    _ZWrite: 1,
    _RimFresnelPower: 4,
  },
  vectorProperties: {
    _Color: [1, 1, 1, 1],
    _ShadeColor: [0.6, 0.4, 0.45, 1],
    _MainTex: [0, 0, 1, 1],
    _OutlineColor: [0.1, 0.05, 0.1, 1],
    _RimColor: [0.2, 0.2, 0.3, 1],
  },
  textureProperties: { _MainTex: texture, _ShadeTexture: texture },
  keywordMap: {},
  tagMap: { RenderType: 'Opaque' },
});

const blendShapeGroups = (face) => {
  const group = (name, presetName, list, extra = {}) => ({
    name,
    presetName,
    isBinary: false,
    binds: list.map((i) => ({ mesh: face, index: i, weight: 100 })),
    materialValues: [],
    ...extra,
  });
  const values = (materialName, propertyName, targetValue) => ({ materialValues: [{ materialName, propertyName, targetValue }] });
  return [
    group('Joy', 'joy', [0]),
    group('Blink', 'blink', [1, 2]),
    group('Blink_L', 'blink_l', [1]),
    group('A', 'a', [3]),
    group('Angry', 'angry', [], { isBinary: true, ...values('Skin', '_Color', [1, 0.4, 0.4, 1]) }),
    group('Shift', 'unknown', [], values('Cloth', '_MainTex_ST', [1, 1, 0.5, 0.25])),
  ];
};

const secondaryAnimation = (head, hair) => ({
  colliderGroups: [{ node: head, colliders: [{ offset: { x: 0, y: 0.1, z: 0 }, radius: 0.1 }] }],
  boneGroups: [
    {
      comment: 'hair',
      stiffiness: 1,
      gravityPower: 0.2,
      gravityDir: { x: 0, y: -1, z: 0 },
      dragForce: 0.3,
      center: -1,
      hitRadius: 0.03,
      bones: [hair],
      colliderGroups: [0],
    },
  ],
});

/** Makes a VRM 0.x of the document. `human` maps bones to names of nodes. */
export function describe({ json, index }, human, materials) {
  const bone = (name) => index[human[name]];
  const mesh = (name) => json.meshes.findIndex((m) => m.name === name);
  const curve = { curve: [0, 0, 0, 1, 1, 1, 1, 0], xRange: 90, yRange: 10 };
  json.extensionsUsed = ['KHR_materials_unlit', 'VRM'];
  json.extensions = {
    VRM: {
      exporterVersion: 'fixture',
      specVersion: '0.0',
      meta: { title: 'Fixture', version: '1', author: 'Fixture Maker', allowedUserName: 'Everyone', licenseName: 'CC0', texture: 1 },
      humanoid: { humanBones: Object.keys(human).map((name) => ({ bone: name, node: bone(name), useDefaultValues: true })) },
      firstPerson: {
        firstPersonBone: bone('head'),
        firstPersonBoneOffset: { x: 0, y: 0.08, z: 0 },
        meshAnnotations: [
          { mesh: mesh('Body'), firstPersonFlag: 'Auto' },
          { mesh: mesh('Face'), firstPersonFlag: 'Auto' },
          { mesh: mesh('Hair'), firstPersonFlag: 'ThirdPersonOnly' },
          { mesh: mesh('Badge'), firstPersonFlag: 'Both' },
        ],
        lookAtTypeName: 'Bone',
        ...Object.fromEntries(RANGES.map((range) => [`lookAt${range}`, curve])),
      },
      blendShapeMaster: { blendShapeGroups: blendShapeGroups(mesh('Face')) },
      secondaryAnimation: secondaryAnimation(bone('head'), index.Hair_0),
      materialProperties: materials.map(materialProperties),
    },
  };
}
