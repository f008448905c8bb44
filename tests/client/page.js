// Runs inside Chromium. Everything is driven from node through window.rc; nothing
// happens on its own (no requestAnimationFrame), so every run is the same.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { KTX2Loader } from 'three/addons/loaders/KTX2Loader.js';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { VRMLoaderPlugin, VRMMetaLoaderPlugin, VRMUtils } from '@pixiv/three-vrm';
import { VRMAnimationLoaderPlugin, VRMLookAtQuaternionProxy, createVRMAnimationClip } from '@pixiv/three-vrm-animation';

const FPS = 60;
const SIM_SECONDS = 2;
const SETTLE_SECONDS = 1;
const SAMPLE_EVERY = 6;
const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
document.body.appendChild(renderer.domElement);
// three breaks ties by ids, which follow the order in which downloads happen to finish; names do not.
const byName = (a, b) => (a.object.name + a.material.name < b.object.name + b.material.name ? -1 : 1);
renderer.setOpaqueSort((a, b) => a.groupOrder - b.groupOrder || a.renderOrder - b.renderOrder || a.z - b.z || byName(a, b));
renderer.setTransparentSort((a, b) => a.groupOrder - b.groupOrder || a.renderOrder - b.renderOrder || b.z - a.z || byName(a, b));
const ktx2 = new KTX2Loader().setTranscoderPath('/basis/').detectSupport(renderer);
const world = new THREE.Scene();
world.background = new THREE.Color(0x8a9aa8);
const sun = new THREE.DirectionalLight(0xffffff, Math.PI * 0.8);
sun.position.set(0.6, 1.2, 1);
world.add(sun, new THREE.AmbientLight(0xffffff, Math.PI * 0.25));

let gltf;
let vrm;
let meshes;
let restHips;

const round = (x) => Math.round(x * 1e6) / 1e6;
const arr = (v) => v.toArray().map(round);
const worldPos = (o) => o.getWorldPosition(new THREE.Vector3());
const worldQuat = (o) => o.getWorldQuaternion(new THREE.Quaternion());
const b64 = (typed) => {
  const u8 = new Uint8Array(typed.buffer, typed.byteOffset, typed.byteLength);
  let s = '';
  for (let i = 0; i < u8.length; i += 0x8000) s += String.fromCharCode(...u8.subarray(i, i + 0x8000));
  return btoa(s);
};

function newLoader() {
  const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).setKTX2Loader(ktx2);
  loader.register(
    (p) =>
      new VRMLoaderPlugin(p, {
        metaPlugin: new VRMMetaLoaderPlugin(p, {
          needThumbnailImage: true,
          acceptLicenseUrls: ['https://vrm.dev/licenses/1.0/', p.json.extensions?.VRMC_vrm?.meta?.licenseUrl],
        }),
      }),
  );
  loader.register((p) => new VRMAnimationLoaderPlugin(p));
  return loader;
}

/** Loads a VRM (or a plain glTF when allowPlain) and leaves it in its rest pose. */
async function open(url, { optimise = false, allowPlain = false } = {}) {
  if (gltf) {
    world.remove(gltf.scene);
    VRMUtils.deepDispose(gltf.scene);
  }
  gltf = await newLoader().loadAsync(url);
  vrm = gltf.userData.vrm;
  if (!vrm && !allowPlain) throw new Error('three-vrm found no VRM in this file (no usable meta or humanoid)');
  if (optimise) {
    // what many three-vrm apps do right after loading
    VRMUtils.removeUnnecessaryVertices(gltf.scene);
    VRMUtils.combineSkeletons(gltf.scene);
    VRMUtils.combineMorphs(vrm);
  }
  world.add(gltf.scene);
  if (vrm) {
    VRMUtils.rotateVRM0(vrm);
    restHips = vrm.humanoid.getNormalizedBoneNode('hips')?.position.clone();
  }
  world.updateMatrixWorld(true);
  if (vrm) vrm.springBoneManager?.reset();
  rest();
  meshes = [];
  gltf.scene.traverse((o) => {
    if (o.isMesh) meshes.push(o);
  });
  return { three: THREE.REVISION, vrm: vrm?.meta.metaVersion ?? null };
}

function rest() {
  if (!vrm) return;
  vrm.humanoid.resetNormalizedPose();
  vrm.expressionManager?.resetValues();
  vrm.lookAt?.reset();
  vrm.update(0);
  world.updateMatrixWorld(true);
  vrm.springBoneManager?.reset();
  vrm.update(0);
  world.updateMatrixWorld(true);
}

/** The vertices a mesh really draws (primitives often share one vertex buffer, as VRoid writes them). */
const drawn = new WeakMap();
function used(mesh) {
  const g = mesh.geometry;
  if (!drawn.has(g)) {
    drawn.set(g, g.index ? [...new Set(g.index.array)].sort((a, b) => a - b) : [...Array(g.attributes.position.count).keys()]);
  }
  return drawn.get(g);
}

/* ---------- facts: what three-vrm made of the file ---------- */

const thumbCanvas = new OffscreenCanvas(8, 8).getContext('2d', { willReadFrequently: true });
thumbCanvas.imageSmoothingQuality = 'high';
function imageFacts(image) {
  if (!image) return null;
  const f = { width: image.width ?? image.naturalWidth, height: image.height ?? image.naturalHeight, pixels: null };
  try {
    thumbCanvas.clearRect(0, 0, 8, 8);
    thumbCanvas.drawImage(image, 0, 0, 8, 8);
    f.pixels = [...thumbCanvas.getImageData(0, 0, 8, 8).data];
  } catch {
    /* GPU-compressed (KTX2): no 2D view of it */
  }
  return f;
}
const textureFacts = (t) => ({
  state: { wrapS: t.wrapS, wrapT: t.wrapT, minFilter: t.minFilter, magFilter: t.magFilter, colorSpace: t.colorSpace, channel: t.channel },
  transform: { offset: arr(t.offset), repeat: arr(t.repeat), rotation: round(t.rotation) },
  image: imageFacts(t.image),
});

const SKIP = new Set([
  'uuid',
  'id',
  'version',
  'name',
  'type',
  'userData',
  'uniforms',
  'defines',
  'fragmentShader',
  'vertexShader',
  ...Object.keys(THREE.UniformsLib.lights),
  ...Object.keys(THREE.UniformsLib.fog),
]);
function materialFacts(m) {
  const out = { type: m.type, params: {}, textures: {} };
  const take = (k, v) => {
    if (SKIP.has(k) || k.startsWith('_')) return;
    if (v?.isTexture) out.textures[k] = textureFacts(v);
    else if (typeof v === 'number') out.params[k] = round(v);
    else if (typeof v === 'boolean' || typeof v === 'string') out.params[k] = v;
    else if (v?.isMatrix3) out.textures[k] = { transform: { matrix: arr(v) } };
    else if (v?.isColor || v?.isVector2 || v?.isVector3) out.params[k] = arr(v);
  };
  for (const [k, v] of Object.entries(m)) take(k, v);
  for (const [k, u] of Object.entries(m.uniforms ?? {})) take(k, u.value);
  if (m.isMToonMaterial) {
    out.type = m.isOutline ? 'MToon outline' : 'MToon';
    out.params.outlineWidthMode = m.outlineWidthMode;
  }
  return out;
}

const kindOf = (b) => ('primitives' in b ? 'morph' : 'targetValue' in b ? 'color' : 'textureTransform');
function expressionFacts(e) {
  const binds = {};
  for (const b of e.binds) {
    const kind = kindOf(b);
    const text =
      kind === 'morph'
        ? `${[...new Set(b.primitives.map((p) => (gltf.parser.associations.get(p)?.primitives !== undefined && p.parent.isGroup ? p.parent.name : p.name)))]} weight ${round(b.weight)}`
        : kind === 'color'
          ? `${b.material.name} ${b.type} ${arr(b.targetValue)} ${round(b.targetAlpha)}`
          : `${b.material.name} scale ${arr(b.scale)} offset ${arr(b.offset)}`;
    (binds[kind] ??= []).push(text);
  }
  for (const k in binds) binds[k].sort();
  return { binds, isBinary: e.isBinary, overrideBlink: e.overrideBlink, overrideLookAt: e.overrideLookAt, overrideMouth: e.overrideMouth };
}

function lookAtFacts() {
  const l = vrm.lookAt;
  if (!l) return null;
  const a = l.applier;
  const out = {
    type: a.constructor.type,
    offsetFromHeadBone: arr(l.offsetFromHeadBone),
    faceFront: arr(l.faceFront),
    ranges: {},
    moves: [],
  };
  for (const k of ['rangeMapHorizontalInner', 'rangeMapHorizontalOuter', 'rangeMapVerticalDown', 'rangeMapVerticalUp']) {
    out.ranges[k] = [round(a[k].inputMaxValue), round(a[k].outputScale)];
  }
  for (const [yaw, pitch] of [
    [25, -10],
    [-25, 15],
  ]) {
    a.applyYawPitch(yaw, pitch);
    out.moves.push(
      out.type === 'bone'
        ? ['leftEye', 'rightEye']
            .map((n) => vrm.humanoid.getRawBoneNode(n))
            .filter(Boolean)
            .map((n) => arr(worldQuat(n)))
        : ['lookUp', 'lookDown', 'lookLeft', 'lookRight'].map((n) => round(vrm.expressionManager.getValue(n) ?? 0)),
    );
  }
  rest();
  return out;
}

function springFacts() {
  const m = vrm.springBoneManager;
  if (!m) return { joints: {}, colliders: {} };
  const joints = {};
  const colliders = {};
  const uses = new Map();
  const colliderKey = (c) => {
    if (!uses.has(c)) {
      const s = c.shape;
      const base = `${c.parent?.name}/${s.type} ${JSON.stringify([arr(s.offset), round(s.radius ?? 0), s.tail ? arr(s.tail) : 0, s.normal ? arr(s.normal) : 0, !!s.inside])}`;
      uses.set(c, base);
      colliders[base] = (colliders[base] ?? 0) + 1;
    }
    return uses.get(c);
  };
  for (const j of m.joints) {
    const s = j.settings;
    let key = j.bone.name;
    while (key in joints) key += '+';
    joints[key] = {
      hitRadius: round(s.hitRadius),
      stiffness: round(s.stiffness),
      gravityPower: round(s.gravityPower),
      gravityDir: arr(s.gravityDir),
      dragForce: round(s.dragForce),
      child: j.child?.name ?? null,
      center: j.center?.name ?? null,
      colliders: j.colliderGroups.flatMap((g) => g.colliders.map(colliderKey)).sort(),
    };
  }
  return { joints, colliders };
}

function constraintFacts() {
  return [...(vrm.nodeConstraintManager?.constraints ?? [])]
    .map((c) => {
      const kind = 'aimAxis' in c ? `aim ${c.aimAxis}` : 'rollAxis' in c ? `roll ${c.rollAxis}` : 'rotation';
      return `${c.destination.name} <- ${c.source.name} ${kind} weight ${round(c.weight)}`;
    })
    .sort();
}

function facts() {
  const bones = {};
  const materials = {};
  const keys = new Map();
  for (const [name, b] of Object.entries(vrm.humanoid.rawHumanBones)) bones[name] = { node: b.node.name, rest: worldPos(b.node).toArray() };
  const meshFacts = meshes.map((m) => {
    const box = new THREE.Box3();
    const v = new THREE.Vector3();
    const g = m.geometry;
    for (const i of used(m)) box.expandByPoint(m.getVertexPosition(i, v).applyMatrix4(m.matrixWorld));
    const list = [m.material].flat();
    for (const x of list) {
      if (keys.has(x)) continue;
      const name = x.name || '(no name)';
      const same = [...keys.values()].filter((k) => k.replace(/#\d+$/, '') === name).length;
      keys.set(x, same ? `${name}#${same + 1}` : name);
      materials[keys.get(x)] = materialFacts(x);
    }
    return {
      name: m.name,
      triangles: (g.index ? g.index.count : g.attributes.position.count) / 3,
      vertices: used(m).length,
      skinned: !!m.isSkinnedMesh,
      materials: list.map((x) => keys.get(x)),
      renderOrder: m.renderOrder,
      morphs: g.morphAttributes.position?.length ?? 0,
      box: box.isEmpty() ? null : [box.min.toArray(), box.max.toArray()],
    };
  });
  const meta = { ...vrm.meta };
  const thumbnail = imageFacts(meta.thumbnailImage ?? meta.texture?.image);
  delete meta.thumbnailImage;
  delete meta.texture;
  const nodes = [];
  gltf.scene.traverse((o) => {
    if (o !== gltf.scene && gltf.parser.associations.get(o)?.nodes !== undefined) nodes.push(o.name);
  });
  const box = new THREE.Box3();
  meshFacts.forEach((m) => m.box && box.union(new THREE.Box3(new THREE.Vector3(...m.box[0]), new THREE.Vector3(...m.box[1]))));
  for (const b of Object.values(bones)) box.expandByPoint(new THREE.Vector3(...b.rest));
  return {
    meta: JSON.parse(JSON.stringify(meta)),
    thumbnail,
    bones,
    materials,
    meshes: meshFacts,
    nodes: nodes.sort(),
    box: [box.min.toArray(), box.max.toArray()],
    expressions: Object.fromEntries((vrm.expressionManager?.expressions ?? []).map((e) => [e.expressionName, expressionFacts(e)])),
    lookAt: lookAtFacts(),
    spring: springFacts(),
    constraints: constraintFacts(),
    firstPerson: (vrm.firstPerson?.meshAnnotations ?? [])
      .map((a) => `${[...new Set(a.meshes.map((m) => m.name))].sort()}: ${a.type}`)
      .sort(),
  };
}

/* ---------- geometry on the CPU ---------- */

/** World positions of every drawn vertex of every mesh, in traversal order. */
function points() {
  const out = new Float32Array(3 * meshes.reduce((n, m) => n + used(m).length, 0));
  const v = new THREE.Vector3();
  let k = 0;
  for (const m of meshes) {
    for (const i of used(m)) {
      m.getVertexPosition(i, v).applyMatrix4(m.matrixWorld).toArray(out, k);
      k += 3;
    }
  }
  return b64(out);
}

/** How an expression at weight 1 moves the vertices, as sparse (vertex number, displacement). */
function displacement(name) {
  const e = vrm.expressionManager.getExpression(name);
  const idx = [];
  const delta = [];
  const a = new THREE.Vector3();
  const b = new THREE.Vector3();
  const bound = new Set(e.binds.flatMap((x) => x.primitives ?? []));
  let base = 0;
  for (const m of meshes) {
    const list = used(m);
    const on = new Float32Array(m.morphTargetInfluences?.length ?? 0);
    for (const x of e.binds) if (x.primitives?.includes(m) && x.index in on) on[x.index] += x.weight;
    if (bound.has(m) && on.some((x) => x !== 0)) {
      const off = m.morphTargetInfluences;
      for (let k = 0; k < list.length; k++) {
        const i = list[k];
        m.morphTargetInfluences = off;
        m.getVertexPosition(i, a).applyMatrix4(m.matrixWorld);
        m.morphTargetInfluences = on;
        m.getVertexPosition(i, b).applyMatrix4(m.matrixWorld).sub(a);
        if (b.lengthSq() > 1e-12) {
          idx.push(base + k);
          delta.push(b.x, b.y, b.z);
        }
      }
      m.morphTargetInfluences = off;
    }
    base += list.length;
  }
  return { index: b64(new Uint32Array(idx)), delta: b64(new Float32Array(delta)) };
}

/* ---------- motion ---------- */

function pose(t) {
  const h = vrm.humanoid;
  const s = (f, p = 0) => Math.sin(2 * Math.PI * f * t + p);
  const k = restHips ? restHips.y : 1;
  const turn = (n, x, y, z) => h.getNormalizedBoneNode(n)?.rotation.set(x, y, z);
  h.getNormalizedBoneNode('hips')
    ?.position.copy(restHips)
    .add(new THREE.Vector3(0.15 * s(1), 0.05 * s(2), 0.1 * s(1.5)).multiplyScalar(k));
  turn('hips', 0, 0.5 * s(0.75), 0);
  turn('spine', 0.15 * s(1), 0.2 * s(0.5), 0.05);
  turn('neck', 0.1 * s(1), 0.2 * s(1), 0);
  turn('head', 0.3 * s(1.5), 0.5 * s(1), 0.15 * s(0.5));
  turn('jaw', 0.1, 0, 0);
  for (const [side, d] of [
    ['left', 1],
    ['right', -1],
  ]) {
    turn(`${side}UpperArm`, 0.3 * s(1, d), 0.2 * d, -1.0 * d + 0.2 * s(0.5));
    turn(`${side}LowerArm`, 0.8 * s(0.5), -0.9 * d, 0);
    turn(`${side}Hand`, 0.5 * s(1), 0, 0.4 * d);
    turn(`${side}UpperLeg`, 0.4 * s(1, d * 1.5), 0.2 * d, 0.1 * d);
    turn(`${side}LowerLeg`, -0.5 - 0.3 * s(1, d), 0, 0);
    turn(`${side}Foot`, 0.3, 0, 0);
    turn(`${side}Toes`, 0.3, 0, 0);
    for (const f of ['Thumb', 'Index', 'Middle', 'Ring', 'Little']) {
      for (const p of ['Metacarpal', 'Proximal', 'Intermediate', 'Distal']) turn(`${side}${f}${p}`, 0, 0, -0.5 * d);
    }
  }
}

function tracked() {
  const map = new Map();
  for (const b of Object.values(vrm.humanoid.rawHumanBones)) map.set(b.node.name, ['bone', b.node]);
  for (const c of vrm.nodeConstraintManager?.constraints ?? []) map.set(c.destination.name, ['constraint', c.destination]);
  for (const j of vrm.springBoneManager?.joints ?? []) for (const n of [j.bone, j.child]) if (n) map.set(n.name, ['spring', n]);
  return map;
}

/** Plays the scripted motion, then holds still until the springs settle. Ends in the posed frame. */
function simulate() {
  rest();
  const nodes = tracked();
  const frames = [];
  for (let f = 0; f < FPS * (SIM_SECONDS + SETTLE_SECONDS); f++) {
    pose(Math.min(f / FPS, SIM_SECONDS - 0.3));
    vrm.update(1 / FPS);
    world.updateMatrixWorld(true);
    if (f % SAMPLE_EVERY === 0) frames.push([...nodes.values()].map(([, n]) => [...worldPos(n).toArray(), ...worldQuat(n).toArray()]));
  }
  return { names: [...nodes.keys()], kinds: [...nodes.values()].map(([k]) => k), frames };
}

/* ---------- pictures ---------- */

function setExpression(name) {
  vrm.expressionManager?.resetValues();
  if (name) vrm.expressionManager.setValue(name, 1);
  vrm.expressionManager?.update();
  for (const m of vrm.materials ?? []) m.update?.(0);
}

/** cams: {view: {from, to, fov}}; returns {view: PNG data URL}. */
function shoot(cams, { expression, layer, size = 512 } = {}) {
  renderer.setSize(size, size, false);
  if (vrm) setExpression(expression);
  const out = {};
  for (const [view, c] of Object.entries(cams)) {
    const cam = new THREE.PerspectiveCamera(c.fov, 1, 0.01, 100);
    cam.position.set(...c.from);
    cam.up.set(...(c.up ?? [0, 1, 0]));
    cam.lookAt(...c.to);
    if (layer) cam.layers.enable(layer);
    renderer.render(world, cam);
    out[view] = renderer.domElement.toDataURL('image/png');
  }
  if (vrm) setExpression(null);
  return out;
}

/** Splits the meshes for first person the way three-vrm does, then counts what each camera sees. */
function firstPerson() {
  rest();
  vrm.firstPerson.setup();
  const count = (layer) => {
    const mask = new THREE.Layers();
    mask.enable(layer);
    let n = 0;
    gltf.scene.traverse((o) => {
      if (o.isMesh && o.layers.test(mask)) n += (o.geometry.index?.count ?? o.geometry.attributes.position.count) / 3;
    });
    return n;
  };
  return {
    first: count(vrm.firstPerson.firstPersonOnlyLayer),
    third: count(vrm.firstPerson.thirdPersonOnlyLayer),
    layer: vrm.firstPerson.firstPersonOnlyLayer,
  };
}

/* ---------- other commands ---------- */

/** Node and mesh names as GLTFLoader spells them, beside the glTF ones. */
function names() {
  const { json, associations } = gltf.parser;
  const found = { nodes: {}, meshes: {} };
  for (const [o, a] of associations) {
    if (!o.isObject3D) continue;
    if (a.nodes !== undefined && !(a.nodes in found.nodes)) found.nodes[a.nodes] = o.name;
    if (a.meshes !== undefined && o.isMesh) (found.meshes[a.meshes] ??= []).push(o.name);
  }
  return {
    nodes: (json.nodes ?? []).map((n, i) => ({ index: i, gltf: n.name ?? null, three: found.nodes[i] ?? null })),
    meshes: (json.meshes ?? []).map((m, i) => ({ index: i, gltf: m.name ?? null, three: [...new Set(found.meshes[i] ?? [])] })),
  };
}

/** Plays a VRMA at a fixed rate; returns world positions (and with `turns` world rotations) per frame and a few pictures. */
async function play(url, { fps, bones, cam, shots, turns = false }) {
  const clipGltf = await newLoader().loadAsync(url);
  const anim = clipGltf.userData.vrmAnimations?.[0];
  if (!anim) throw new Error('no VRMC_vrm_animation in this file');
  if (vrm.lookAt) {
    // else three-vrm-animation makes one itself and warns
    const proxy = new VRMLookAtQuaternionProxy(vrm.lookAt);
    proxy.name = 'VRMLookAtQuaternionProxy';
    vrm.scene.add(proxy);
  }
  const mixer = new THREE.AnimationMixer(vrm.scene);
  const clip = createVRMAnimationClip(anim, vrm);
  mixer.clipAction(clip).setLoop(THREE.LoopOnce).play().clampWhenFinished = true;
  const count = Math.max(1, Math.round(clip.duration * fps)) + 1;
  const wanted = new Set(Array.from({ length: shots }, (_, i) => Math.round((i * (count - 1)) / Math.max(1, shots - 1))));
  const frames = [];
  const pictures = {};
  for (let f = 0; f < count; f++) {
    mixer.setTime(Math.min(f / fps, clip.duration));
    vrm.update(f ? 1 / fps : 0);
    world.updateMatrixWorld(true);
    const row = { t: round(f / fps) };
    for (const b of bones) {
      const n = vrm.humanoid.getRawBoneNode(b);
      if (n) row[b] = turns ? [...arr(worldPos(n)), ...arr(worldQuat(n))] : arr(worldPos(n));
    }
    frames.push(row);
    if (wanted.has(f)) {
      const h = row.hips ?? [0, 0, 0];
      renderer.setSize(512, 512, false);
      const c = new THREE.PerspectiveCamera(cam.fov, 1, 0.01, 100);
      c.position.set(h[0] + cam.from[0], cam.from[1], h[2] + cam.from[2]);
      c.lookAt(h[0] + cam.to[0], cam.to[1], h[2] + cam.to[2]);
      renderer.render(world, c);
      pictures[f] = renderer.domElement.toDataURL('image/png');
    }
  }
  return { duration: clip.duration, tracks: clip.tracks.length, fps, frames, pictures };
}

window.rc = { open, rest, facts, points, displacement, simulate, shoot, firstPerson, names, play };
