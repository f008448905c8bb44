// node names.mjs FILE [--json] : node and mesh names as three.js GLTFLoader spells them, beside the glTF ones.
import { parseArgs } from 'node:util';
import { startClient } from './client.mjs';

const {
  values,
  positionals: [file],
} = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } });
if (!file) {
  console.error('usage: node names.mjs FILE [--json]');
  process.exit(2);
}
const client = await startClient();
try {
  const page = await client.page();
  await page.call('open', client.serve(file), { allowPlain: true });
  const names = await page.call('names');
  if (values.json) console.log(JSON.stringify(names, null, 1));
  else {
    for (const kind of ['nodes', 'meshes']) {
      for (const n of names[kind]) {
        console.log(`${kind.slice(0, -1).replace('she', 'sh')}\t${n.index}\t${n.gltf ?? '(none)'}\t${[n.three].flat().join(', ')}`);
      }
    }
  }
  page.log.forEach((l) => console.error(l));
} catch (e) {
  console.error(e.message.split('\n')[0]);
  process.exitCode = 2;
} finally {
  await client.stop();
}
