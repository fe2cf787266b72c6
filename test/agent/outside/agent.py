"""A coding agent in few lines: it does what its model's tool calls say. Its arguments make it behave as badly as others do."""
import json
import os
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request

URL, KEY, MODEL = (os.environ[name] for name in ('MODEL_URL', 'MODEL_KEY', 'MODEL_NAME'))
HOST, PORT = URL.removeprefix('http://').split(':')
BASH = {'type': 'function', 'function': {
    'name': 'bash', 'description': 'Runs a command.',
    'parameters': {'type': 'object', 'properties': {'command': {'type': 'string'}}}}}


def request(messages, tools=(BASH,), key=KEY, **more):
    body = {'model': MODEL, 'temperature': 9, 'max_tokens': 99999, 'messages': messages, **more}
    if tools:
        body['tools'] = list(tools)
    return json.dumps(body).encode(), {'Authorization': f'Bearer {key}', 'Content-Type': 'application/json'}


def ask(messages, **more):
    body, headers = request(messages, **more)
    asked = urllib.request.Request(f'{URL}/v1/chat/completions', body, headers)
    return json.load(urllib.request.urlopen(asked))['choices'][0]['message']


def ask_and_leave(messages):
    """Sends a request and goes away before the answer."""
    body, headers = request(messages)
    lines = [f'{name}: {value}' for name, value in {**headers, 'Content-Length': len(body), 'Host': HOST}.items()]
    with socket.create_connection((HOST, int(PORT))) as connection:
        connection.sendall('\r\n'.join(['POST /v1/chat/completions HTTP/1.1', *lines, '', '']).encode() + body)
    ask([{'role': 'user', 'content': 'I left.'}], tools=())


def work(messages, leaves=False):
    while True:
        if leaves:
            ask_and_leave(messages)
        reply = ask(messages)
        messages.append(reply)
        if not reply.get('tool_calls'):
            return
        for call in reply['tool_calls']:
            command = json.loads(call['function']['arguments'])['command']
            ran = subprocess.run(['bash', '-c', command], capture_output=True, text=True)
            messages.append({'role': 'tool', 'tool_call_id': call['id'], 'content': ran.stdout + ran.stderr})


def write(**message):
    print(json.dumps({'jsonrpc': '2.0', **message}), flush=True)


def read():
    return json.loads(sys.stdin.readline() or sys.exit('nobody speaks to me'))


def speak(how='plain'):
    """The agent's side of the Agent Client Protocol."""
    print('a line that is no message', flush=True)
    print('said on stderr', file=sys.stderr)
    asked = read()
    write(id=asked['id'], result={'protocolVersion': 2 if how == 'newer' else 1, 'authMethods': [None, {'id': 'env'}]})
    signed_in = how != 'sign-in'
    while True:
        asked = read()
        if asked['method'] == 'session/new' and not signed_in:
            write(id=asked['id'], error={'code': -32000, 'message': 'sign in'})
        elif asked['method'] == 'authenticate':
            signed_in = asked['params']['methodId'] == 'env'
            write(id=asked['id'], **({'result': None} if signed_in else {'error': {'code': 1, 'message': 'no'}}))
        elif asked['method'] == 'session/new':
            write(id=asked['id'], result={'sessionId': 's1'})
        else:
            break
    text = ''.join(part['text'] for part in asked['params']['prompt'])
    options = [{'optionId': 'no', 'kind': 'reject_once', 'name': 'No'}, {'optionId': 'yes', 'kind': 'allow_once', 'name': 'Yes'}]
    write(id=7, method='session/request_permission', params={'sessionId': 's1', 'options': 'odd' if how == 'odd' else options})
    allowed = read()
    write(id=8, method='fs/read_text_file', params={'path': 'a'})
    print('permission', allowed['result'], 'file', read()['error']['code'], file=sys.stderr)
    work([{'role': 'user', 'content': text}])
    if how == 'odd':
        for line in ('[1]', 'null', '{"id": 99}', '{"id": 0, "error": 5}', '[' * 100000, '\xff', '{"id": 2, "result": "no object"}'):
            print(line, flush=True)
    write(method='session/update', params={'sessionId': 's1', 'update': {'text': 'é' * 100000}})
    if how == 'leaves':
        return
    if how == 'huge':
        sys.stdout.write('x' * (17 << 20))
    error = how == 'error'
    write(id=asked['id'], **({'error': {'code': -32603, 'message': 'I broke'}} if error else {'result': {'stopReason': 'refusal' if how == 'refusal' else 'end_turn'}}))
    if how != 'quick':
        sys.stdin.read()


def main(mode='plain', *how):
    if mode == 'acp':
        return speak(*how)
    if mode == 'crash-first':
        sys.exit('cannot find my configuration')
    if mode == 'silent':
        return print('nothing to do')
    if mode == 'by-hand':
        open('m0.py', 'w').write('VALUE = 0\n')
        return
    task = [{'role': 'system', 'content': 'You are an agent.'},
            {'role': 'user', 'content': open(os.environ['TASK_FILE']).read()}]
    if mode == 'title':
        ask([{'role': 'user', 'content': 'Write a title.'}], tools=())
    if mode == 'open-request':
        threading.Thread(target=ask, args=([{'role': 'user', 'content': 'Never answer.'}],), daemon=True).start()
    if mode == 'wrong-key':
        try:
            ask(task, key='another')
        except urllib.error.HTTPError as error:
            print('refused', error.code)
    if mode == 'own-files':
        os.makedirs('.mine/cache', exist_ok=True)
        open('.mine/cache/log', 'w').write('mine')
    if mode == 'instructions':
        found = [os.path.join(where, name) for where, _, names in os.walk('.') for name in names if name == 'RULES.md']
        changed = subprocess.run(['git', 'status', '--short'], capture_output=True, text=True).stdout
        print(f'instructions: {found}, changed: {changed!r}')
        open('RULES.md', 'w').write('my own')
    try:
        work(task, leaves=mode == 'leaves')
    except urllib.error.HTTPError as error:
        print('the model said', error.code, error.read().decode())
        sys.exit(3)
    if mode == 'crash-after':
        sys.exit('I broke')
    if mode == 'sleep':
        subprocess.run(['sleep', '3600'])


main(*sys.argv[1:])
