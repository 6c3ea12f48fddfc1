import mineflayer from 'mineflayer';
import chat from 'prismarine-chat';

const [name = 'Ana', port = '25565'] = process.argv.slice(2);
const say = (line) => process.stdout.write(`${line}\n`);

const client = mineflayer.createBot({ host: '127.0.0.1', port: Number(port), username: name, auth: 'offline' });
client.once('spawn', () => say(`${name} is on the server.`));
client.on('kicked', (reason) => say(`${name} was kicked: ${chat(client.registry).fromNotch(reason)}`));
