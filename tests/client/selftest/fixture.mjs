// node selftest/fixture.mjs OUT.vrm 0|1 : a small avatar with every VRM feature check.mjs looks at, the same bytes each time.
import { PNG } from 'pngjs';
import { writeGlb } from './glb.mjs';

export function fixture(version) {
  const json = {
    asset: { version: '2.0', generator: 'fixture' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [],
    meshes: [],
    skins: [],
    accessors: [],
    bufferViews: [],
    buffers: [],
    materials: [],
    images: [],
    textures: [],
    samplers: [{ magFilter: 9729, minFilter: 9987, wrapS: 10497, wrapT: 10497 }],
  };
  const parts = [];
  let size = 0;
  const view = (bytes, extra = {}) => {
    const b = Buffer.from(bytes.buffer ?? bytes, bytes.byteOffset ?? 0, bytes.byteLength ?? bytes.length),
      p = Buffer.alloc((4 - (b.length % 4)) % 4);
    json.bufferViews.push({ buffer: 0, byteOffset: size, byteLength: b.length, ...extra });
    parts.push(b, p);
    size += b.length + p.length;
    return json.bufferViews.length - 1;
  };
  const accessor = (data, type, componentType, target, extra = {}) => {
    const n = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 }[type],
      cols = Array.from({ length: n }, (_, c) => data.filter((_, i) => i % n === c));
    const minmax =
      n === 3 ? { min: cols.map((c) => c.reduce((a, b) => Math.min(a, b))), max: cols.map((c) => c.reduce((a, b) => Math.max(a, b))) } : {};
    json.accessors.push({
      bufferView: view(data, target ? { target } : {}),
      componentType,
      count: data.length / n,
      type,
      ...minmax,
      ...extra,
    });
    return json.accessors.length - 1;
  };
  // Skeleton: name, parent, world position. VRM 0.x faces -Z, 1.0 faces +Z.
  const f = version === 0 ? -1 : 1,
    at = {},
    index = {},
    left = f;
  const node = (name, parent, p, extra = {}) => {
    const q = at[parent] ?? [0, 0, 0];
    at[name] = p;
    index[name] = json.nodes.length;
    json.nodes.push({ name, translation: p.map((x, i) => x - q[i]), ...extra });
    if (parent) (json.nodes[index[parent]].children ??= []).push(index[name]);
    return index[name];
  };
  node('Root', null, [0, 0, 0]);
  node('J_Hips', 'Root', [0, 0.9, 0]);
  node('J_Spine', 'J_Hips', [0, 1.05, 0]);
  node('J_Chest', 'J_Spine', [0, 1.2, 0]);
  node('J_Neck', 'J_Chest', [0, 1.38, 0]);
  node('J_Head', 'J_Neck', [0, 1.45, 0]);
  const human = { hips: 'J_Hips', spine: 'J_Spine', chest: 'J_Chest', neck: 'J_Neck', head: 'J_Head' };
  for (const [s, d] of [
    ['left', left],
    ['right', -left],
  ]) {
    const bone = (part, parent, p) => {
      const name = `J_${s}${part}`;
      node(name, parent, p);
      human[`${s}${part}`] = name;
      return name;
    };
    bone('Eye', 'J_Head', [0.035 * d, 1.53, 0.07 * f]);
    bone('Hand', bone('LowerArm', bone('UpperArm', 'J_Chest', [0.15 * d, 1.32, 0]), [0.38 * d, 1.32, 0]), [0.6 * d, 1.32, 0]);
    bone('Foot', bone('LowerLeg', bone('UpperLeg', 'J_Hips', [0.09 * d, 0.85, 0]), [0.09 * d, 0.45, 0]), [0.09 * d, 0.08, 0]);
  }
  node('Twist', 'J_leftLowerArm', [0.5 * left, 1.32, 0]);
  node('Hair_0', 'J_Head', [0, 1.6, -0.1 * f]);
  node('Hair_1', 'Hair_0', [0, 1.48, -0.16 * f]);
  node('Hair_2', 'Hair_1', [0, 1.34, -0.18 * f]);
  node('Hair_3', 'Hair_2', [0, 1.2, -0.18 * f]);
  const joints = Object.values(index).filter((i) => i > 0),
    slot = (name) => joints.indexOf(index[name]);
  const ibm = new Float32Array(
    joints.flatMap((i) => {
      const p = at[json.nodes[i].name];
      return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -p[0], -p[1], -p[2], 1];
    }),
  );
  json.skins.push({ joints, inverseBindMatrices: accessor(ibm, 'MAT4', 5126), skeleton: index.J_Hips });
  // Textures: a checker with a gradient, and one with an alpha edge.
  const texture = (pixel) => {
    const png = new PNG({ width: 128, height: 128 });
    for (let y = 0; y < 128; y++) for (let x = 0; x < 128; x++) png.data.set(pixel(x, y), 4 * (y * 128 + x));
    json.images.push({ name: `T${json.images.length}`, mimeType: 'image/png', bufferView: view(PNG.sync.write(png)) });
    json.textures.push({ sampler: 0, source: json.images.length - 1 });
    return json.textures.length - 1;
  };
  const skinTex = texture((x, y) => [230, 190 + (y >> 2), 150 + (((x >> 4) + (y >> 4)) % 2) * 40, 255]),
    clothTex = texture((x, y) => [60 + x, 90, 60 + y, 255]),
    hairTex = texture((x, y) => [90, 40 + (y >> 1), 30, (x + y) % 64 < 44 ? 255 : 0]);
  const tube = (a, b, r, n, rows) => {
    // a to b; joint names a..b, weight blends along it
    const out = { p: [], n: [], uv: [], j: [], w: [], i: [] },
      [A, B] = [at[a], at[b]],
      dir = B.map((x, k) => x - A[k]),
      len = Math.hypot(...dir),
      u = dir.map((x) => x / len),
      side = Math.abs(u[1]) > 0.9 ? [1, 0, 0] : [0, 1, 0];
    const cross = (p, q) => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]],
      e2 = cross(u, side),
      l2 = Math.hypot(...e2),
      v = e2.map((x) => x / l2),
      t = cross(v, u);
    for (let y = 0; y <= rows; y++)
      for (let x = 0; x <= n; x++) {
        const h = y / rows,
          c = Math.cos((2 * Math.PI * x) / n),
          s = Math.sin((2 * Math.PI * x) / n),
          rr = r * (0.3 + 0.7 * Math.sqrt(Math.sin(Math.PI * Math.min(0.97, Math.max(0.03, h))))),
          d = [0, 1, 2].map((k) => t[k] * c + v[k] * s);
        out.p.push(...[0, 1, 2].map((k) => A[k] + dir[k] * h + d[k] * rr));
        out.n.push(...d);
        out.uv.push(x / n, h);
        const w = slot(a) === slot(b) ? 0 : h * h;
        out.j.push(w < 1 ? slot(a) : 0, w > 0 ? slot(b) : 0, 0, 0);
        out.w.push(1 - w, w, 0, 0);
      }
    for (let y = 0; y < rows; y++)
      for (let x = 0; x < n; x++) {
        const k = y * (n + 1) + x;
        out.i.push(k, k + 1, k + n + 1, k + 1, k + n + 2, k + n + 1);
      }
    return out;
  };
  const join = (list) =>
    list.reduce(
      (o, g) => {
        const base = o.p.length / 3;
        for (const k of ['p', 'n', 'uv', 'j', 'w']) o[k].push(...g[k]);
        o.i.push(...g.i.map((x) => x + base));
        return o;
      },
      { p: [], n: [], uv: [], j: [], w: [], i: [] },
    );
  const primitive = (g, material, morphs = {}, skinned = true) => ({
    material,
    indices: accessor(new Uint16Array(g.i), 'SCALAR', 5123, 34963),
    attributes: {
      POSITION: accessor(new Float32Array(g.p), 'VEC3', 5126, 34962),
      NORMAL: accessor(new Float32Array(g.n), 'VEC3', 5126, 34962),
      TEXCOORD_0: accessor(new Float32Array(g.uv), 'VEC2', 5126, 34962),
      ...(skinned
        ? { JOINTS_0: accessor(new Uint16Array(g.j), 'VEC4', 5123, 34962), WEIGHTS_0: accessor(new Float32Array(g.w), 'VEC4', 5126, 34962) }
        : {}),
    },
    ...(Object.keys(morphs).length
      ? {
          targets: Object.values(morphs).map((fn) => ({
            POSITION: accessor(
              new Float32Array(g.p.flatMap((_, i) => (i % 3 ? [] : fn(g.p[i], g.p[i + 1], g.p[i + 2] * f)))),
              'VEC3',
              5126,
            ),
          })),
          extras: { targetNames: Object.keys(morphs) },
        }
      : {}),
  });
  const mesh = (name, primitives, skinned = true, parent = 'Root') => {
    json.meshes.push({ name, primitives, ...(primitives[0].extras ? { extras: primitives[0].extras } : {}) });
    const p = at[parent];
    node(name, parent, p, { mesh: json.meshes.length - 1, ...(skinned ? { skin: 0 } : {}) });
  };
  const bump = (cx, cy, r, v) => (x, y, z) => {
    const k = z > 0.03 ? Math.max(0, 1 - Math.hypot(x - cx, y - cy) / r) : 0;
    return [v[0] * k, v[1] * k, v[2] * k * f];
  };
  const morphs = {
    smile: bump(0, 1.48, 0.06, [0, 0.02, 0.01]),
    blinkL: bump(0.035 * left, 1.53, 0.03, [0, -0.02, 0.004]),
    blinkR: bump(-0.035 * left, 1.53, 0.03, [0, -0.02, 0.004]),
    aa: bump(0, 1.47, 0.05, [0, -0.03, 0.015]),
  };
  at.Top = [0, 1.68, 0];
  index.Top = index.J_Head;
  const limbs = [
    ['J_Hips', 'J_Chest', 0.13],
    ['J_Chest', 'J_Neck', 0.14],
    ...['left', 'right'].flatMap((s) => [
      [`J_${s}UpperArm`, `J_${s}LowerArm`, 0.05],
      [`J_${s}LowerArm`, `J_${s}Hand`, 0.045],
      [`J_${s}UpperLeg`, `J_${s}LowerLeg`, 0.075],
      [`J_${s}LowerLeg`, `J_${s}Foot`, 0.06],
    ]),
  ];
  mesh('Body', [primitive(join(limbs.map(([a, b, r]) => tube(a, b, r, 20, 12))), 1), primitive(tube('J_Neck', 'J_Head', 0.05, 16, 4), 0)]);
  mesh('Face', [primitive(tube('J_Head', 'Top', 0.11, 40, 40), 0, morphs)]);
  mesh('Hair', [
    primitive(
      join([tube('Hair_0', 'Hair_1', 0.06, 14, 8), tube('Hair_1', 'Hair_2', 0.05, 14, 8), tube('Hair_2', 'Hair_3', 0.04, 14, 8)]),
      2,
    ),
  ]);
  mesh(
    'Badge',
    [
      primitive(
        (({ p, ...g }) => ({ ...g, p: p.map((x, i) => (x - at.J_Chest[i % 3]) * 0.25 + [0, 0.08, 0.15 * f][i % 3]) }))(
          tube('J_Hips', 'J_Chest', 0.13, 12, 6),
        ),
        1,
        {},
        false,
      ),
    ],
    false,
    'J_Chest',
  );
  delete at.Top;
  delete index.Top;
  const materials = [
    ['Skin', skinTex, 'OPAQUE', 0.002],
    ['Cloth', clothTex, 'OPAQUE', 0.004],
    ['HairMat', hairTex, 'MASK', 0],
  ];
  json.materials = materials.map(([name, t, alphaMode, outline]) => ({
    name,
    alphaMode,
    doubleSided: alphaMode === 'MASK',
    pbrMetallicRoughness: { baseColorTexture: { index: t }, metallicFactor: 0, roughnessFactor: 0.9 },
    extensions: {
      KHR_materials_unlit: {},
      ...(version
        ? {
            VRMC_materials_mtoon: {
              specVersion: '1.0',
              shadeColorFactor: [0.6, 0.4, 0.45],
              shadeMultiplyTexture: { index: t },
              shadingShiftFactor: -0.1,
              shadingToonyFactor: 0.8,
              giEqualizationFactor: 0.9,
              outlineWidthMode: outline ? 'worldCoordinates' : 'none',
              outlineWidthFactor: outline,
              outlineColorFactor: [0.1, 0.05, 0.1],
              parametricRimColorFactor: [0.2, 0.2, 0.3],
              parametricRimFresnelPowerFactor: 4,
            },
          }
        : {}),
    },
  }));
  const N = (bone) => index[human[bone]],
    M = (name) => json.meshes.findIndex((m) => m.name === name),
    bones = Object.keys(human);
  if (version) {
    json.extensionsUsed = ['KHR_materials_unlit', 'VRMC_vrm', 'VRMC_springBone', 'VRMC_node_constraint', 'VRMC_materials_mtoon'];
    const morph = (...list) => ({ morphTargetBinds: list.map((i) => ({ node: index.Face, index: i, weight: 1 })) });
    json.extensions = {
      VRMC_vrm: {
        specVersion: '1.0',
        meta: {
          name: 'Fixture',
          version: '1',
          authors: ['Fixture Maker'],
          licenseUrl: 'https://vrm.dev/licenses/1.0/',
          avatarPermission: 'everyone',
          thumbnailImage: 1,
        },
        humanoid: { humanBones: Object.fromEntries(bones.map((b) => [b, { node: N(b) }])) },
        firstPerson: {
          meshAnnotations: [
            ['Body', 'auto'],
            ['Face', 'auto'],
            ['Hair', 'thirdPersonOnly'],
            ['Badge', 'both'],
          ].map(([n, type]) => ({ node: index[n], type })),
        },
        lookAt: {
          type: 'bone',
          offsetFromHeadBone: [0, 0.08, 0],
          ...Object.fromEntries(
            ['HorizontalInner', 'HorizontalOuter', 'VerticalDown', 'VerticalUp'].map((k) => [
              `rangeMap${k}`,
              { inputMaxValue: 90, outputScale: 10 },
            ]),
          ),
        },
        expressions: {
          preset: {
            happy: { ...morph(0), overrideBlink: 'block' },
            blink: morph(1, 2),
            blinkLeft: morph(1),
            aa: morph(3),
            angry: { materialColorBinds: [{ material: 0, type: 'color', targetValue: [1, 0.4, 0.4, 1] }], isBinary: true },
          },
          custom: { Shift: { textureTransformBinds: [{ material: 1, scale: [1, 1], offset: [0.5, 0.25] }] } },
        },
      },
      VRMC_springBone: {
        specVersion: '1.0',
        colliders: [
          { node: N('head'), shape: { sphere: { offset: [0, 0.1, 0], radius: 0.1 } } },
          { node: N('chest'), shape: { capsule: { offset: [0, -0.2, 0], tail: [0, 0.15, 0], radius: 0.12 } } },
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
      },
    };
    json.nodes[index.Twist].extensions = {
      VRMC_node_constraint: { specVersion: '1.0', constraint: { roll: { source: N('leftHand'), rollAxis: 'X', weight: 0.5 } } },
    };
  } else {
    json.extensionsUsed = ['KHR_materials_unlit', 'VRM'];
    const group = (name, presetName, list, extra = {}) => ({
        name,
        presetName,
        isBinary: false,
        binds: list.map((i) => ({ mesh: M('Face'), index: i, weight: 100 })),
        materialValues: [],
        ...extra,
      }),
      curve = { curve: [0, 0, 0, 1, 1, 1, 1, 0], xRange: 90, yRange: 10 };
    json.extensions = {
      VRM: {
        exporterVersion: 'fixture',
        specVersion: '0.0',
        meta: { title: 'Fixture', version: '1', author: 'Fixture Maker', allowedUserName: 'Everyone', licenseName: 'CC0', texture: 1 },
        humanoid: { humanBones: bones.map((bone) => ({ bone, node: N(bone), useDefaultValues: true })) },
        firstPerson: {
          firstPersonBone: N('head'),
          firstPersonBoneOffset: { x: 0, y: 0.08, z: 0 },
          meshAnnotations: [
            ['Body', 'Auto'],
            ['Face', 'Auto'],
            ['Hair', 'ThirdPersonOnly'],
            ['Badge', 'Both'],
          ].map(([n, firstPersonFlag]) => ({ mesh: M(n), firstPersonFlag })),
          lookAtTypeName: 'Bone',
          ...Object.fromEntries(['HorizontalInner', 'HorizontalOuter', 'VerticalDown', 'VerticalUp'].map((k) => [`lookAt${k}`, curve])),
        },
        blendShapeMaster: {
          blendShapeGroups: [
            group('Joy', 'joy', [0]),
            group('Blink', 'blink', [1, 2]),
            group('Blink_L', 'blink_l', [1]),
            group('A', 'a', [3]),
            group('Angry', 'angry', [], {
              isBinary: true,
              materialValues: [{ materialName: 'Skin', propertyName: '_Color', targetValue: [1, 0.4, 0.4, 1] }],
            }),
            group('Shift', 'unknown', [], {
              materialValues: [{ materialName: 'Cloth', propertyName: '_MainTex_ST', targetValue: [1, 1, 0.5, 0.25] }],
            }),
          ],
        },
        secondaryAnimation: {
          colliderGroups: [{ node: N('head'), colliders: [{ offset: { x: 0, y: 0.1, z: 0 }, radius: 0.1 }] }],
          boneGroups: [
            {
              comment: 'hair',
              stiffiness: 1,
              gravityPower: 0.2,
              gravityDir: { x: 0, y: -1, z: 0 },
              dragForce: 0.3,
              center: -1,
              hitRadius: 0.03,
              bones: [index.Hair_0],
              colliderGroups: [0],
            },
          ],
        },
        materialProperties: materials.map(([name, t, alphaMode, outline]) => ({
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
          textureProperties: { _MainTex: t, _ShadeTexture: t },
          keywordMap: {},
          tagMap: { RenderType: 'Opaque' },
        })),
      },
    };
  }
  const bin = Buffer.concat(parts);
  json.buffers = [{ byteLength: bin.length }];
  return { json, bin };
}
if (process.argv[1]?.endsWith('fixture.mjs')) writeGlb(process.argv[2], fixture(Number(process.argv[3])));
