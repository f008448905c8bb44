// node play.mjs AVATAR.vrm CLIP.vrma [--out DIR] [--fps 30] [--bones hips,leftFoot,..|all] [--turns] [--shots 4]
// Plays a VRMA with three-vrm-animation; prints {duration, frames: [{t, hips: [x, y, z], ..}]}, metres, world space
// (a VRM 0.x avatar is turned to face +Z, as apps do). With --turns each bone has its quaternion too: [x, y, z, qx, qy, qz, qw].
// With --out: frames.json and pictures that follow the hips.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startClient, cameras } from './client.mjs';

const { values: opt, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    fps: { type: 'string', default: '30' },
    shots: { type: 'string', default: '4' },
    turns: { type: 'boolean', default: false },
    bones: { type: 'string', default: 'hips,head,leftFoot,rightFoot,leftToes,rightToes,leftHand,rightHand' },
  },
});
if (files.length !== 2) {
  console.error('usage: node play.mjs AVATAR.vrm CLIP.vrma [--out DIR] [--fps N] [--bones A,B] [--shots N]');
  process.exit(2);
}
const client = await startClient();
try {
  const page = await client.page();
  const [avatar, clip] = files.map(client.serve);
  await page.call('open', avatar);
  const facts = await page.call('facts');
  const { nice } = cameras(facts);
  const hips = facts.bones.hips.rest;
  const cam = {
    fov: nice.fov,
    from: [nice.from[0] - hips[0], nice.from[1], nice.from[2] - hips[2]],
    to: [nice.to[0] - hips[0], nice.to[1], nice.to[2] - hips[2]],
  };
  const { pictures, ...r } = await page.call('play', clip, {
    fps: Number(opt.fps),
    bones: opt.bones === 'all' ? Object.keys(facts.bones) : opt.bones.split(','),
    turns: opt.turns,
    cam,
    shots: opt.out ? Number(opt.shots) : 0,
  });
  const text = JSON.stringify({ avatar: files[0], clip: files[1], vrm: facts.meta.metaVersion, ...r, warnings: page.log });
  if (opt.out) {
    mkdirSync(opt.out, { recursive: true });
    writeFileSync(join(opt.out, 'frames.json'), text);
    for (const [f, png] of Object.entries(pictures)) {
      writeFileSync(join(opt.out, `frame-${String(f).padStart(5, '0')}.png`), Buffer.from(png.split(',')[1], 'base64'));
    }
    console.log(`${r.frames.length} frames, ${r.duration} s, ${r.tracks} tracks, ${Object.keys(pictures).length} pictures in ${opt.out}`);
    page.log.forEach((l) => console.error(l));
  } else console.log(text);
} catch (e) {
  console.error(e.message.split('\n')[0]);
  process.exitCode = 2;
} finally {
  await client.stop();
}
