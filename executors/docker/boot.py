import json, os, sys, types
def take(count):
    data = b''
    while len(data) < count:
        part = os.read(0, count - len(data))
        if not part:
            os._exit(0)
        data += part
    return data
order = json.loads(take(int(take(8), 16)).decode())
for name, text in order['modules']:
    sys.modules[name] = module = types.ModuleType(name)
    exec(compile(text, name + '.py', 'exec'), module.__dict__)
sys.modules['inside'].main(order['plan'])
