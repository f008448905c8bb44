// node selftest/run.mjs [FILE.vrm ...] : does check.mjs pass identical files and catch each damage, by the right name?
// Without files it makes its own small avatars (VRM 0.x and 1.0). Ends with 'N passed, N failed'.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from '../check.mjs';
import { startClient } from '../client.mjs';
import { fixture } from './fixture.mjs';
import { packGlb, readGlb, writeGlb } from './glb.mjs';

const first = (list, test = () => true) => (list ?? []).find(test);
// Each damage edits the JSON (or the packed bytes) in place, returns false where it does not apply; keys: what check must report.
const DAMAGES = [
  [
    'expression morph index shifted',
    ['expressionMove'],
    ({ json, v1, v0 }) => {
      const bind = v1
        ? first(Object.values(v1.expressions?.preset ?? {}).flatMap((e) => e.morphTargetBinds ?? []))
        : first(v0.blendShapeMaster?.blendShapeGroups.flatMap((g) => g.binds));
      if (!bind) return false;
      const count = json.meshes[v1 ? json.nodes[bind.node].mesh : bind.mesh].primitives[0].targets.length;
      bind.index = (bind.index + 1) % count;
      return count > 1;
    },
  ],
  [
    'expression dropped',
    ['expressions'],
    ({ v1, v0 }) => (v1 ? delete v1.expressions?.preset?.happy : !!v0.blendShapeMaster?.blendShapeGroups.shift()),
  ],
  [
    'spring joint dropped',
    ['springJoints'],
    ({ json, v0 }) => {
      const springs = v0 ? v0.secondaryAnimation?.boneGroups : json.extensions.VRMC_springBone?.springs,
        list = first(
          springs?.map((s) => s.joints ?? s.bones),
          (l) => l.length,
        );
      return !!list && !!list.pop();
    },
  ],
  [
    'spring stiffness changed',
    ['springJoints', 'springMotion'],
    ({ json, v0 }) => {
      const g = v0
        ? first(v0.secondaryAnimation?.boneGroups, (x) => x.bones.length)
        : first(json.extensions.VRMC_springBone?.springs.flatMap((s) => s.joints));
      if (!g) return false;
      g['stiffiness' in g ? 'stiffiness' : 'stiffness'] = 0.1;
    },
  ],
  [
    'collider radius changed',
    ['springColliders'],
    ({ json, v0 }) => {
      const c = v0
        ? first(v0.secondaryAnimation?.colliderGroups.flatMap((g) => g.colliders))
        : first(json.extensions.VRMC_springBone?.colliders, (x) => x.shape.sphere)?.shape.sphere;
      if (!c) return false;
      c.radius *= 1.5;
    },
  ],
  [
    'two textures swapped',
    ['texture'],
    ({ json }) => {
      const [a, b] = json.images ?? [];
      if (!b) return false;
      [a.bufferView, b.bufferView, a.mimeType, b.mimeType] = [b.bufferView, a.bufferView, b.mimeType, a.mimeType];
    },
  ],
  [
    'bone node renamed',
    ['boneNames', 'nodes'],
    ({ json, bone }) => {
      json.nodes[bone('head')].name = 'Renamed';
    },
  ],
  [
    'bone moved 2 mm',
    ['boneRest', 'boneMotion'],
    ({ json, bone }) => {
      const n = json.nodes[bone('leftUpperArm')];
      if (n.matrix) return false;
      n.translation = (n.translation ?? [0, 0, 0]).map((x) => x + 0.00116);
    },
  ],
  [
    'skin joints swapped',
    ['vertexRest', 'vertexPosed'],
    ({ json, bone }) => {
      const j = first(json.skins, (s) => s.joints.includes(bone('leftLowerArm')) && s.joints.includes(bone('head')))?.joints;
      if (!j) return false;
      const [a, b] = [j.indexOf(bone('leftLowerArm')), j.indexOf(bone('head'))];
      [j[a], j[b]] = [j[b], j[a]];
    },
  ],
  [
    'author changed',
    ['meta'],
    ({ v1, v0 }) => {
      if (v1) v1.meta.authors = ['Somebody'];
      else v0.meta.author = 'Somebody';
    },
  ],
  [
    'lookAt range halved',
    ['lookAt'],
    ({ v1, v0 }) => {
      const r = v1?.lookAt?.rangeMapHorizontalOuter ?? v0?.firstPerson?.lookAtHorizontalOuter;
      if (!r) return false;
      r[v1 ? 'outputScale' : 'yRange'] *= 0.5;
    },
  ],
  [
    'first-person flag changed',
    ['firstPerson'],
    ({ v1, v0 }) => {
      const a = first((v1 ?? v0).firstPerson?.meshAnnotations);
      if (!a) return false;
      a[v1 ? 'type' : 'firstPersonFlag'] = v1 ? 'firstPersonOnly' : 'FirstPersonOnly';
    },
  ],
  [
    'constraint weight changed',
    ['constraints', 'boneTurn'],
    ({ json }) => {
      const c = first(
        json.nodes.map((n) => n.extensions?.VRMC_node_constraint?.constraint),
        Boolean,
      );
      if (!c) return false;
      Object.values(c)[0].weight = 0.9;
    },
  ],
  [
    'MToon shade colour changed',
    ['materials'],
    ({ json, v0 }) => {
      const m = v0
        ? first(v0.materialProperties, (x) => x.shader === 'VRM/MToon')?.vectorProperties._ShadeColor
        : first(json.materials, (x) => x.extensions?.VRMC_materials_mtoon)?.extensions.VRMC_materials_mtoon.shadeColorFactor;
      if (!m) return false;
      m[0] = 1 - m[0];
    },
  ],
  [
    'unknown extension required',
    ['console'],
    ({ json }) => {
      (json.extensionsRequired ??= []).push('ACME_unknown');
      (json.extensionsUsed ??= []).push('ACME_unknown');
    },
  ],
  ['file cut short', ['load'], null, (bytes) => bytes.subarray(0, bytes.length >> 1)],
];

const dir = mkdtempSync(join(tmpdir(), 'realclient-')),
  client = await startClient();
let passed = 0,
  failed = 0,
  files = process.argv.slice(2);
const say = (ok, text) => {
  if (ok) passed++;
  else failed++;
  console.log(`${ok ? 'ok' : 'NOT OK'} ${text}`);
};
try {
  if (!files.length)
    files = [0, 1].map((v) => {
      const path = join(dir, `vrm${v}.vrm`);
      writeGlb(path, fixture(v));
      return path;
    });
  for (const file of files) {
    const same = await check(client, file, file),
      exact = Object.entries(same.measured).every(([k, m]) => m.worst === (k === 'psnr' ? 99 : k === 'ssim' ? 1 : 0));
    say(same.ok && exact, `${file}: identical, ${same.pictures.length} pictures, ${same.seconds} s ${same.failures.map((f) => f.text)}`);
    for (const [name, keys, edit, cut] of DAMAGES) {
      const glb = readGlb(file),
        { VRMC_vrm: v1, VRM: v0 } = glb.json.extensions;
      const bone = (n) => (v1 ? v1.humanoid.humanBones[n]?.node : v0.humanoid.humanBones.find((b) => b.bone === n)?.node);
      if (edit && edit({ json: glb.json, v1, v0: v1 ? undefined : v0, bone }) === false) {
        console.log(`-- ${name}: does not apply to ${file}`);
        continue;
      }
      const path = join(dir, 'damaged.vrm'),
        bytes = packGlb(glb);
      writeFileSync(path, cut ? cut(bytes) : bytes);
      const r = await check(client, file, path, { quick: true }),
        got = [...new Set(r.failures.map((f) => f.key))];
      say(
        keys.every((k) => got.includes(k)),
        `${name}: ${keys.map((k) => r.failures.find((f) => f.key === k)?.text ?? `${k} NOT REPORTED`).join(' | ')}  [all: ${got}]`,
      );
    }
  }
} finally {
  await client.stop();
  rmSync(dir, { recursive: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
