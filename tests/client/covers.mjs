// The cover masks that companion-build embeds in an avatar: covers(glb) -> [{ outfit, parts: [{ node, mesh, primitive, hidden }] }].
// `hidden[t]` is true for triangle t of the primitive's index buffer. Needs nothing but the bytes of the file.

/** The JSON and the binary chunk of a GLB (a Uint8Array). */
function chunks(glb) {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
  const found = {};
  for (let at = 12; at + 8 <= glb.byteLength; ) {
    const length = view.getUint32(at, true);
    const type = view.getUint32(at + 4, true);
    if (type === 0x4e4f534a) found.json = JSON.parse(new TextDecoder().decode(glb.subarray(at + 8, at + 8 + length)));
    if (type === 0x004e4942) found.binary = glb.subarray(at + 8, at + 8 + length);
    at += 8 + length;
  }
  return found;
}

/** Masks are never compressed: their buffer views lie in the binary chunk as they are. */
export function covers(glb) {
  const { json, binary } = chunks(glb);
  const embedded = json.extensions?.COMPANION_precomputed;
  return (embedded?.cover ?? []).map(({ outfit, parts }) => ({
    outfit,
    parts: parts.map(({ node, mesh, primitive, triangles, bits }) => {
      const { byteOffset = 0, byteLength } = json.bufferViews[bits];
      const bytes = binary.subarray(byteOffset, byteOffset + byteLength);
      const isHidden = (t) => ((bytes[t >> 3] >> (t & 7)) & 1) === 1;
      return { node, mesh, primitive, hidden: Array.from({ length: triangles }, (_, t) => isHidden(t)) };
    }),
  }));
}

/** Takes the hidden triangles out of an index array of three.js (or any other): what is left to draw. */
export function visible(index, hidden) {
  return index.filter((_, corner) => !hidden[Math.floor(corner / 3)]);
}
