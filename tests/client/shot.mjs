// node shot.mjs FILE.vrm OUT.png [--size N] : one screenshot.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startClient, cameras } from './client.mjs';

const {
  values,
  positionals: [file, out],
} = parseArgs({ allowPositionals: true, options: { size: { type: 'string', default: '1024' } } });
if (!out) {
  console.error('usage: node shot.mjs FILE.vrm OUT.png [--size N]');
  process.exit(2);
}
const client = await startClient();
try {
  const page = await client.page();
  await page.call('open', client.serve(file));
  const { nice } = cameras(await page.call('facts'));
  const png = (await page.call('shoot', { nice }, { size: Number(values.size) })).nice;
  writeFileSync(out, Buffer.from(png.split(',')[1], 'base64'));
  page.log.forEach((l) => console.error(l));
} finally {
  await client.stop();
}
