// Ways to damage an avatar, and what check.mjs must say of each. `edit` changes the JSON in place and returns false where it
// does not apply; `cut` changes the packed bytes. v1 is the VRMC_vrm extension, v0 the VRM extension: one of them is undefined.

const first = (list, test = () => true) => (list ?? []).find(test);

export const DAMAGES = [
  {
    name: 'expression morph index shifted',
    keys: ['expressionMove'],
    edit({ json, v1, v0 }) {
      const bind = v1
        ? first(Object.values(v1.expressions?.preset ?? {}).flatMap((e) => e.morphTargetBinds ?? []))
        : first(v0.blendShapeMaster?.blendShapeGroups.flatMap((g) => g.binds));
      if (!bind) return false;
      const count = json.meshes[v1 ? json.nodes[bind.node].mesh : bind.mesh].primitives[0].targets.length;
      bind.index = (bind.index + 1) % count;
      return count > 1;
    },
  },
  {
    name: 'expression dropped',
    keys: ['expressions'],
    edit: ({ v1, v0 }) => (v1 ? delete v1.expressions?.preset?.happy : !!v0.blendShapeMaster?.blendShapeGroups.shift()),
  },
  {
    name: 'spring joint dropped',
    keys: ['springJoints'],
    edit({ json, v0 }) {
      const springs = v0 ? v0.secondaryAnimation?.boneGroups : json.extensions.VRMC_springBone?.springs;
      const joints = (springs ?? []).map((s) => s.joints ?? s.bones);
      return !!first(joints, (list) => list.length)?.pop();
    },
  },
  {
    name: 'spring stiffness changed',
    keys: ['springJoints', 'springMotion'],
    edit({ json, v0 }) {
      const spring = v0
        ? first(v0.secondaryAnimation?.boneGroups, (group) => group.bones.length)
        : first(json.extensions.VRMC_springBone?.springs.flatMap((s) => s.joints));
      if (!spring) return false;
      spring['stiffiness' in spring ? 'stiffiness' : 'stiffness'] = 0.1;
    },
  },
  {
    name: 'collider radius changed',
    keys: ['springColliders'],
    edit({ json, v0 }) {
      const collider = v0
        ? first(v0.secondaryAnimation?.colliderGroups.flatMap((g) => g.colliders))
        : first(json.extensions.VRMC_springBone?.colliders, (c) => c.shape.sphere)?.shape.sphere;
      if (!collider) return false;
      collider.radius *= 1.5;
    },
  },
  {
    name: 'two textures swapped',
    keys: ['texture'],
    edit({ json }) {
      const [a, b] = json.images ?? [];
      if (!b) return false;
      [a.bufferView, b.bufferView, a.mimeType, b.mimeType] = [b.bufferView, a.bufferView, b.mimeType, a.mimeType];
    },
  },
  {
    name: 'bone node renamed',
    keys: ['boneNames', 'nodes'],
    edit({ json, bone }) {
      json.nodes[bone('head')].name = 'Renamed';
    },
  },
  {
    name: 'bone moved 2 mm',
    keys: ['boneRest', 'boneMotion'],
    edit({ json, bone }) {
      const node = json.nodes[bone('leftUpperArm')];
      if (node.matrix) return false;
      node.translation = (node.translation ?? [0, 0, 0]).map((x) => x + 0.00116);
    },
  },
  {
    name: 'skin joints swapped',
    keys: ['vertexRest', 'vertexPosed'],
    edit({ json, bone }) {
      const [arm, head] = [bone('leftLowerArm'), bone('head')];
      const joints = first(json.skins, (skin) => skin.joints.includes(arm) && skin.joints.includes(head))?.joints;
      if (!joints) return false;
      const [a, b] = [joints.indexOf(arm), joints.indexOf(head)];
      [joints[a], joints[b]] = [joints[b], joints[a]];
    },
  },
  {
    name: 'author changed',
    keys: ['meta'],
    edit({ v1, v0 }) {
      if (v1) v1.meta.authors = ['Somebody'];
      else v0.meta.author = 'Somebody';
    },
  },
  {
    name: 'lookAt range halved',
    keys: ['lookAt'],
    edit({ v1, v0 }) {
      const range = v1?.lookAt?.rangeMapHorizontalOuter ?? v0?.firstPerson?.lookAtHorizontalOuter;
      if (!range) return false;
      range[v1 ? 'outputScale' : 'yRange'] *= 0.5;
    },
  },
  {
    name: 'first-person flag changed',
    keys: ['firstPerson'],
    edit({ v1, v0 }) {
      const annotation = first((v1 ?? v0).firstPerson?.meshAnnotations);
      if (!annotation) return false;
      if (v1) annotation.type = 'firstPersonOnly';
      else annotation.firstPersonFlag = 'FirstPersonOnly';
    },
  },
  {
    name: 'constraint weight changed',
    keys: ['constraints', 'boneTurn'],
    edit({ json }) {
      const constraints = json.nodes.map((node) => node.extensions?.VRMC_node_constraint?.constraint);
      const constraint = first(constraints, Boolean);
      if (!constraint) return false;
      Object.values(constraint)[0].weight = 0.9;
    },
  },
  {
    name: 'MToon shade colour changed',
    keys: ['materials'],
    edit({ json, v0 }) {
      const mtoon = json.materials?.map((m) => m.extensions?.VRMC_materials_mtoon);
      const colour = v0
        ? first(v0.materialProperties, (m) => m.shader === 'VRM/MToon')?.vectorProperties._ShadeColor
        : first(mtoon, Boolean)?.shadeColorFactor;
      if (!colour) return false;
      colour[0] = 1 - colour[0];
    },
  },
  {
    name: 'unknown extension required',
    keys: ['console'],
    edit({ json }) {
      (json.extensionsRequired ??= []).push('ACME_unknown');
      (json.extensionsUsed ??= []).push('ACME_unknown');
    },
  },
  {
    name: 'file cut short',
    keys: ['load'],
    cut: (bytes) => bytes.subarray(0, bytes.length >> 1),
  },
];
