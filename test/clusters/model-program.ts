/**
 * A scripted model as a process of its own: ADDRESS PORT KEY. It mends the module that a task names in its second turn and hands in in
 * its third; the task of m2 is never solved. It prints the address of each caller.
 */
import { createServer } from 'node:http';

const [address, port, key] = process.argv.slice(2);

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const send = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.headers.authorization !== `Bearer ${key}`) return send(401, { error: { message: 'no key' } });
    if (request.url === '/v1/models') return send(200, { data: [{ id: 'scripted' }] });
    console.log(request.socket.remoteAddress!.replace('::ffff:', ''));
    const { messages } = JSON.parse(Buffer.concat(pieces).toString('utf8')) as {
      messages: { role: string; content: string }[];
    };
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    const [, number = '0'] = /m(\d) is wrong/.exec(messages.map(({ content }) => content).join('\n')) ?? [];
    const mend = `sed -i 's/VALUE = .*/VALUE = ${number === '2' ? 7 : number}/' m${number}.py`;
    const command = ['ls', mend, 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT'][Math.min(turn, 2)];
    const content = `THOUGHT: go on\n\n\`\`\`mswea_bash_command\n${command}\n\`\`\``;
    const [prompt_tokens, completion_tokens] = [100 + 10 * turn, 20];
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
    return send(200, {
      ...{ id: 'x', object: 'chat.completion', created: 1, model: 'scripted', usage },
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    });
  });
});
server.listen(Number(port), address);
